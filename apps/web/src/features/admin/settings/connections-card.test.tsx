// @vitest-environment happy-dom
import type { ModelConnection } from '@mira/shared'
import { screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { ConnectionsCard } from './connections-card.tsx'

const model = { chat: true, vision: true, tools: null, embedding: false, rerank: false, transcription: false }
const home: ModelConnection = {
  ...{ id: '0198d9a0-0000-7000-8000-000000000001', name: 'Home', base_url: 'http://localhost:11434/v1' },
  ...{ has_key: true, header_names: [], enabled: true, is_environment: false },
  check: { state: 'ok' },
  models: [{ id: 'llama3.2', speech: false, image_edit: false, context_tokens: null, ...model }],
}
const fixed: ModelConnection = { ...home, id: 'environment', name: 'models.example', is_environment: true }

beforeEach(() => {
  route('GET /admin/connections').mockResolvedValue([fixed, home])
})
afterEach(() => vi.restoreAllMocks())

const open = () =>
  renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <ConnectionsCard />
    </ConfirmProvider>,
  )

test('a preset fills in the address, and a server that doesn’t respond is saved only with “Save anyway”', async () => {
  const created: ModelConnection = {
    ...home,
    id: 'new',
    name: 'Ollama',
    check: { state: 'error', reason: 'Nobody there.' },
  }
  const testCall = route('POST /admin/connections/test').mockResolvedValue({ check: created.check, models: [] })
  const add = route('POST /admin/connections').mockResolvedValue(created)
  const { user } = await open()
  await user.click(await screen.findByRole('button', { name: 'Connect a model server' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.selectOptions(dialog.getByLabelText('Type'), 'Ollama')
  await user.type(dialog.getByLabelText('Headers'), 'X-Team: research')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  const json = { name: 'Ollama', base_url: 'http://localhost:11434/v1', headers: { 'X-Team': 'research' } }
  // the dialog stays open, and nothing is saved
  expect(await dialog.findByText('Nobody there.')).toBeTruthy()
  expect(testCall).toHaveBeenCalledExactlyOnceWith({ json })
  expect(add).not.toHaveBeenCalled()
  await user.click(dialog.getByRole('button', { name: 'Save anyway' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(add).toHaveBeenCalledExactlyOnceWith({ json })
})

test('a changed connection is tested first, with the stored key, and isn’t saved when the server doesn’t respond', async () => {
  const check: ModelConnection['check'] = { state: 'error', reason: 'Nobody there.' }
  const testCall = route('POST /admin/connections/test').mockResolvedValue({ check, models: [] })
  const update = route('PATCH /admin/connections/:id')
  const { user } = await open()
  await user.click(await screen.findByRole('button', { name: 'Edit Home' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.clear(dialog.getByLabelText('Address'))
  await user.type(dialog.getByLabelText('Address'), 'http://localhost:9/v1')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  expect(await dialog.findByText('Nobody there.')).toBeTruthy()
  const json = { id: home.id, name: 'Home', base_url: 'http://localhost:9/v1' }
  expect(testCall).toHaveBeenCalledExactlyOnceWith({ json })
  expect(update).not.toHaveBeenCalled()
})

test('a stored key isn’t shown, and is kept when none is entered', async () => {
  route('POST /admin/connections/test').mockResolvedValue({ check: { state: 'ok' }, models: [] })
  const update = route('PATCH /admin/connections/:id').mockResolvedValue({ ...home, name: 'Elsewhere' })
  const { user } = await open()
  await user.click(await screen.findByRole('button', { name: 'Edit Home' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByLabelText<HTMLInputElement>('Key').value).toBe('')
  await user.clear(dialog.getByLabelText('Name'))
  await user.type(dialog.getByLabelText('Name'), 'Elsewhere')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  expect(update).toHaveBeenCalledWith({
    params: { id: home.id },
    json: { name: 'Elsewhere', base_url: home.base_url },
  })
  expect(await screen.findByRole('heading', { name: 'Elsewhere' })).toBeTruthy()
})

test('the connection from the environment can be tested, but not edited or removed', async () => {
  await open()
  expect(await screen.findByRole('button', { name: 'Test models.example' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Edit models.example' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Remove models.example' })).toBeNull()
})
