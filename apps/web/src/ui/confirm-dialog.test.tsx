// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { ConfirmProvider, useConfirm } from './confirm-dialog.tsx'
// preloaded: otherwise it loads on first use
import './confirm-panel.tsx'

function DeleteButton({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const confirm = useConfirm()
  const ask = async () => onAnswer(await confirm({ question: 'Delete the harbour?', confirmLabel: 'Delete' }))
  return (
    <button type="button" onClick={() => void ask()}>
      Delete…
    </button>
  )
}

it.each([
  ['Delete', true],
  ['Cancel', false],
])('asks for confirmation, and “%s” resolves to %s', async (name, expected) => {
  const answers: boolean[] = []
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <DeleteButton onAnswer={(answer) => answers.push(answer)} />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete the harbour?' })
  expect(answers).toEqual([])
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name }))
  expect(answers).toEqual([expected])
  expect(dialog.isConnected && dialog.dataset.state !== 'closed').toBe(false)
})

it('treats Escape as Cancel', async () => {
  const answers: boolean[] = []
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <DeleteButton onAnswer={(answer) => answers.push(answer)} />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  await screen.findByRole('alertdialog')
  await user.keyboard('{Escape}')
  expect(answers).toEqual([false])
})
