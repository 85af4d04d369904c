// @vitest-environment happy-dom
import type { ChatModel, MediaItemJson, Mention } from '@mira/shared'
import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import * as mediaApi from '../../../lib/api/library.ts'
import { mentionKey } from '../messages/mention-chips.tsx'
import { TestComposer } from './composer.fixture.tsx'

vi.mock('../../../lib/api/library.ts')
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_chat: true, can_upload: true, can_use_agents: true }),
}))
vi.mock('../voice/voice-input.tsx', () => ({ VoiceInput: () => null }))

const onSend = vi.fn()

function ComposerWithMentions() {
  const [mentions, setMentions] = useState<Mention[]>([])
  return (
    <TestComposer
      mentioned={{
        mentions,
        add: (more) => setMentions([...mentions, ...more]),
        remove: (one) => setMentions(mentions.filter((other) => mentionKey(other) !== mentionKey(one))),
        clear: () => setMentions([]),
      }}
      onSend={onSend}
    />
  )
}
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })

beforeEach(() => {
  vi.resetAllMocks()
  vi.mocked(mediaApi.fetchLibrary).mockResolvedValue({ media_items: [], next_cursor: null, total: 0 })
  route('GET /media/tags').mockResolvedValue({
    tags: [
      { tag: 'house', count: 3 },
      { tag: 'holiday', count: 1 },
    ],
  })
  route('GET /projects').mockResolvedValue({ projects: [], next_cursor: null })
  route('GET /models').mockResolvedValue([{ id: 'test-model' } as ChatModel])
  route('GET /personas/tools').mockResolvedValue({ tools: ['CalculatorAgent', 'search_web', 'Boxes: look'] })
  route('GET /web').mockResolvedValue({ allowed: true, search: true })
})

it('mentions an agent with @, and shows it above the message instead of in it until it is removed', async () => {
  const { user } = await renderPart(<ComposerWithMentions />)
  await user.type(field(), 'How much is @calc')
  await screen.findByRole('option', { name: /Calculator/ })
  expect(field().getAttribute('aria-activedescendant')).toBe('mention-agent-Calculator')
  await user.keyboard('{Enter}')
  expect(field().value).toBe('How much is ')
  expect(onSend).not.toHaveBeenCalled()
  const mentionedList = screen.getByRole('list', { name: 'Mentioned' })
  await user.click(within(mentionedList).getByRole('button', { name: 'Remove Calculator' }))
  expect(screen.queryByRole('list', { name: 'Mentioned' })).toBeNull()
})

it('mentions tools of connected servers, and web search where it is allowed', async () => {
  const { user } = await renderPart(<ComposerWithMentions />)
  await user.type(field(), '@boxes')
  expect((await screen.findByRole('option', { name: /Boxes: look/ })).textContent).toContain('Tool')
  await user.keyboard('{Enter}')
  await user.type(field(), '@web')
  await user.click(await screen.findByRole('option', { name: /Search the web/ }))
  const mentionedList = screen.getByRole('list', { name: 'Mentioned' })
  expect(within(mentionedList).getAllByRole('listitem')).toHaveLength(2)
  expect(field().value).toBe('')
})

it.each([
  ['no model can call it', () => route('GET /models').mockResolvedValue([])],
  ['searching the web isn’t allowed', () => route('GET /web').mockResolvedValue({ allowed: true, search: false })],
])('offers no web search when %s', async (_case, prepare) => {
  prepare()
  const { user } = await renderPart(<ComposerWithMentions />)
  await user.type(field(), '@e')
  await screen.findByRole('option', { name: /Weather/ })
  expect(screen.queryByRole('option', { name: /Search the web/ })).toBeNull()
})

it('finds tags after #, with arrow keys, and not in the middle of a word', async () => {
  const { user } = await renderPart(<ComposerWithMentions />)
  await user.type(field(), 'C#')
  expect(screen.queryByRole('option')).toBeNull()
  await user.type(field(), ' #ho')
  await screen.findByRole('option', { name: /holiday/ })
  await user.keyboard('{ArrowDown}{Tab}')
  expect(field().value).toBe('C# holiday ')
  expect(screen.getByRole('list', { name: 'Mentioned' }).textContent).toContain('holiday')
})

it('closes on Escape, and Enter sends the message', async () => {
  const { user } = await renderPart(<ComposerWithMentions />)
  await user.type(field(), 'Write to @')
  await screen.findByRole('option', { name: /Weather/ })
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('option')).toBeNull()
  await user.keyboard('{Enter}')
  expect(onSend).toHaveBeenCalledOnce()
})

it('filters the items found for earlier letters by later ones while those load', async () => {
  const item = (id: string, name: string) =>
    ({ id, media_type: 'document', thumbnail: null, metadata: { original_filename: name } }) as MediaItemJson
  const media_items = [item('a', 'lease.pdf'), item('b', 'letter.pdf')]
  vi.mocked(mediaApi.fetchLibrary)
    .mockResolvedValueOnce({ media_items, next_cursor: null, total: 2 })
    // over a slow connection
    .mockReturnValue(new Promise(() => {}))
  const { user } = await renderPart(<ComposerWithMentions />)
  await user.type(field(), '@le')
  await screen.findByRole('option', { name: /lease/ })
  await user.type(field(), 't')
  expect(screen.queryByRole('option', { name: /lease/ })).toBeNull()
  expect(screen.getByRole('option', { name: /letter/ })).toBeTruthy()
})
