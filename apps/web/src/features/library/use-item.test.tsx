// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { useUnsavedDraft } from '../../lib/session/kept-drafts.ts'
import { session } from '../../lib/session/session.ts'
import { ConfirmProvider } from '../../ui/confirm-dialog.tsx'
import { useDeletion } from './use-item.ts'

function Item() {
  const { draft, keep } = useUnsavedDraft<string>('text.a')
  const remove = useDeletion()
  return (
    <>
      <p>{draft ?? 'no draft'}</p>
      <button type="button" onClick={() => keep('a draft')}>
        Write
      </button>
      <button type="button" onClick={() => void remove([{ id: 'a', name: 'A' }])}>
        Remove
      </button>
    </>
  )
}

it.each([
  ['deletes the draft of an item that is deleted permanently', 0, 'no draft'],
  ['keeps the draft of an item that is moved to the trash', 30, 'a draft'],
])('%s', async (_, days, draftText) => {
  await loadTexts('gallery', 'errors', 'trash')
  session.state.set({ status: 'signed-in', user: { id: 'me', can_upload: true } as MeJson })
  route('GET /config').mockResolvedValue({ trash: { days } } as never)
  const remove = route('POST /media/delete').mockResolvedValue({ deleted: 1 })
  const trash = route('POST /media/trash').mockResolvedValue({ changed: 1 })
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <Item />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Write' }))
  await user.click(screen.getByRole('button', { name: 'Remove' }))
  const confirmDialog = await screen.findByRole('alertdialog')
  await user.click([...confirmDialog.querySelectorAll('button')].at(-1) as HTMLElement)
  await expect.poll(() => remove.mock.calls.length + trash.mock.calls.length).toBe(1)
  expect(await screen.findByText(draftText)).toBeTruthy()
})
