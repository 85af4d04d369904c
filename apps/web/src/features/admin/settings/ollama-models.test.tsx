// @vitest-environment happy-dom
import type { Ollama, OllamaPullEvent } from '@mira/shared'
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { OllamaModels } from './connections-card.tsx'
import * as queries from './connections-queries.ts'

const stored: Ollama = { version: '0.12.3', models: [{ name: 'small:1b', size_bytes: 1_300_000_000 }] }
const open = (ollama: Ollama) => {
  route('GET /admin/connections/:id/ollama').mockResolvedValue(ollama)
  return renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <OllamaModels connectionId="1" />
    </ConfirmProvider>,
  )
}
beforeAll(() => loadTexts('connections', 'errors'))
afterEach(() => vi.restoreAllMocks())

test('downloads a model by name with a progress bar, and can be stopped', async () => {
  let signal: AbortSignal | undefined
  const pullEnd = Promise.withResolvers<void>()
  vi.spyOn(queries, 'pullOllamaModel').mockImplementation(
    async function* (_id, _model, pullSignal): AsyncGenerator<OllamaPullEvent> {
      signal = pullSignal
      yield { state: 'pulling', completed_bytes: 500_000_000, total_bytes: 2_000_000_000 }
      await pullEnd.promise
    },
  )
  const { user } = await open(stored)
  await user.click(await screen.findByText('Models stored in Ollama 0.12.3'))
  await user.type(screen.getByLabelText('Download a model'), 'large:8b')
  await user.click(screen.getByRole('button', { name: 'Download' }))
  const progress = await screen.findByRole('progressbar', { name: 'Downloading large:8b' })
  await vi.waitFor(() => expect(progress.getAttribute('aria-valuenow')).toBe('25'))
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  expect(signal?.aborted).toBe(true)
  pullEnd.resolve()
  expect(await screen.findByLabelText('Download a model')).toBeTruthy()
})

test('starts a download on Enter, but not during input method composition', async () => {
  const pull = vi.spyOn(queries, 'pullOllamaModel').mockImplementation(async function* () {})
  const { user } = await open(stored)
  await user.click(await screen.findByText('Models stored in Ollama 0.12.3'))
  const name = screen.getByLabelText('Download a model')
  await user.type(name, 'large:8b')
  fireEvent.keyDown(name, { key: 'Enter', isComposing: true })
  fireEvent.keyDown(name, { key: 'Enter', keyCode: 229 })
  expect(pull).not.toHaveBeenCalled()
  await user.keyboard('{Enter}')
  expect(pull).toHaveBeenCalledOnce()
})

test('removes a model after confirmation', async () => {
  const remove = route('POST /admin/connections/:id/ollama/remove').mockResolvedValue(undefined)
  const { user } = await open(stored)
  await user.click(await screen.findByText('Models stored in Ollama 0.12.3'))
  await user.click(screen.getByRole('button', { name: 'Remove small:1b' }))
  await user.click(await screen.findByRole('button', { name: 'Remove' }))
  expect(remove).toHaveBeenCalledExactlyOnceWith({ params: { id: '1' }, json: { model: 'small:1b' } })
})

test('shows nothing for a server other than Ollama', async () => {
  await open({ version: null, models: [] })
  await vi.waitFor(() => expect(route('GET /admin/connections/:id/ollama')).toHaveBeenCalled())
  expect(screen.queryByText(/Ollama/)).toBeNull()
})
