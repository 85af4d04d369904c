// @vitest-environment happy-dom
import type { PromptJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { TestComposer } from './composer.fixture.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_chat: true }),
}))
vi.mock('../voice/voice-input.tsx', () => ({ VoiceInput: () => null }))

const at = '2026-05-01T08:00:00.000Z'
const prompt = (command: string, text: string, variables: string[] = []): PromptJson => ({
  ...{ id: command, title: `About ${command}`, command, text, variables, created_at: at, updated_at: at },
})
const onSend = vi.fn()

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })

beforeEach(() => {
  vi.resetAllMocks()
  route('GET /prompts').mockResolvedValue({
    prompts: [
      prompt('letter', 'Write to {{name}}.', ['name']),
      prompt('list', 'List what I own.'),
      prompt('mail', 'A mail.'),
    ],
    next_cursor: null,
  })
})

it('finds a saved prompt after a slash, and inserts it into the message without sending it', async () => {
  const { user } = await renderPart(<TestComposer onSend={onSend} />)
  await user.type(field(), '/l')
  expect((await screen.findAllByRole('option')).map(({ id }) => id)).toEqual([
    'prompt-letter',
    'prompt-list',
    'prompt-mail',
  ])
  expect(field().getAttribute('aria-activedescendant')).toBe('prompt-letter')
  await user.keyboard('{ArrowDown}{Enter}')
  expect(field().value).toBe('List what I own.')
  expect(screen.queryByRole('listbox')).toBeNull()
  expect(onSend).not.toHaveBeenCalled()
})

it('asks for the variables of a prompt', async () => {
  const { user } = await renderPart(<TestComposer onSend={onSend} />)
  await user.type(field(), '/letter')
  await user.click(await screen.findByRole('option'))
  await user.type(await screen.findByRole('textbox', { name: 'name' }), 'Anna')
  await user.click(screen.getByRole('button', { name: 'Insert' }))
  expect(field().value).toBe('Write to Anna.')
  expect(onSend).not.toHaveBeenCalled()
})

it('closes on Escape, and a message that only begins with a slash can be sent', async () => {
  const { user } = await renderPart(<TestComposer onSend={onSend} />)
  await user.type(field(), '/ma')
  await screen.findByRole('option')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('option')).toBeNull()
  await user.keyboard('{Enter}')
  expect(onSend).toHaveBeenCalledOnce()
})

it('links to the prompt settings when there are no prompts', async () => {
  route('GET /prompts').mockResolvedValue({ prompts: [], next_cursor: null })
  const { user } = await renderPart(<TestComposer onSend={onSend} />)
  await user.type(field(), '/')
  expect((await screen.findByRole('link')).getAttribute('href')).toContain('tab=settings#prompts')
})
