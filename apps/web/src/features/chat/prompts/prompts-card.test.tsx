// @vitest-environment happy-dom
import type { PromptJson } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { PromptsCard } from './prompts-card.tsx'

const card = (
  <ConfirmProvider cancelLabel="Cancel">
    <PromptsCard />
  </ConfirmProvider>
)
const at = '2026-05-01T08:00:00.000Z'
const letter: PromptJson = {
  ...{ id: 'a', title: 'A letter', command: 'letter', text: 'Write to {{name}}.', variables: ['name'] },
  ...{ created_at: at, updated_at: at },
}
beforeEach(async () => {
  // the dashboard loads these texts before it shows the settings
  await loadTexts('prompts', 'errors')
  vi.resetAllMocks()
  route('GET /prompts').mockResolvedValue({ prompts: [], next_cursor: null })
})

it('saves a new prompt, and shows its variables while it is written', async () => {
  const { user } = await renderPart(card)
  await user.click(screen.getByRole('button', { name: 'New prompt' }))
  await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'A letter')
  await user.type(screen.getByRole('textbox', { name: 'Command' }), '/Letter')
  await user.type(screen.getByRole('textbox', { name: 'Text' }), 'Write to {{{{name}}.')
  expect(screen.getByText('You’ll be asked for: name')).toBeTruthy()
  route('POST /prompts').mockImplementation(async () => {
    route('GET /prompts').mockResolvedValue({ prompts: [letter], next_cursor: null })
    return letter
  })
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('/letter')).toBeTruthy()
  expect(route('POST /prompts')).toHaveBeenCalledExactlyOnceWith({
    json: { title: 'A letter', command: 'letter', text: 'Write to {{name}}.' },
  })
})

it('shows at the field that a command is taken', async () => {
  route('GET /prompts').mockResolvedValue({ prompts: [letter], next_cursor: null })
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Edit A letter' }))
  const detail = 'You have a prompt /mail already. Choose another command.'
  route('PATCH /prompts/:id').mockRejectedValue(new ApiError(409, { code: 'prompt_command_taken', detail }))
  const command = await screen.findByRole('textbox', { name: 'Command' })
  await user.clear(command)
  await user.type(command, 'mail{Enter}')
  expect(await screen.findByText(detail)).toBeTruthy()
  expect(command.getAttribute('aria-invalid')).toBe('true')
})

it('keeps a form open when an earlier one, closed meanwhile, has been saved', async () => {
  route('GET /prompts').mockResolvedValue({ prompts: [letter], next_cursor: null })
  const { user } = await renderPart(card)
  const pendingSave = Promise.withResolvers<PromptJson>()
  route('PATCH /prompts/:id').mockReturnValue(pendingSave.promise)
  await user.click(await screen.findByRole('button', { name: 'Edit A letter' }))
  await user.click(await screen.findByRole('button', { name: 'Save' }))
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'New prompt' }))
  await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'A poem')
  const callsBefore = route('GET /prompts').mock.calls.length
  await act(async () => pendingSave.resolve(letter))
  await vi.waitFor(() => expect(route('GET /prompts').mock.calls.length).toBeGreaterThan(callsBefore))
  await act(async () => {})
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe('A poem')
})

it('deletes a prompt after confirmation, and focuses its neighbour', async () => {
  const poem = { ...letter, id: 'b', title: 'A poem' }
  route('GET /prompts').mockResolvedValue({ prompts: [letter, poem], next_cursor: null })
  const remove = route('DELETE /prompts/:id').mockImplementation(async () => {
    route('GET /prompts').mockResolvedValue({ prompts: [poem], next_cursor: null })
  })
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Delete A letter' }))
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  await vi.waitFor(() => expect(remove).toHaveBeenCalledExactlyOnceWith({ params: { id: 'a' } }))
  await vi.waitFor(() => expect(screen.queryByText('A letter')).toBeNull())
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit A poem' })))
})
