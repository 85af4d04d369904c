// @vitest-environment happy-dom

import type { ChatSessionJson } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { useSessionList } from './use-session-list.ts'

let hear: (event: ClientEvent) => void = () => {}
vi.mock('../../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    hear = handler
  },
}))

function Answering() {
  const { answering } = useSessionList({ query: '' })
  return <p>Answering: {[...answering].join()}</p>
}

test('a conversation is not marked as answering any more when the end of its answer may have been missed', async () => {
  route('GET /chat/sessions').mockResolvedValue([])
  await renderPart(<Answering />)
  act(() => hear({ type: 'chat.updated', session_id: 's1', answering: true }))
  expect(screen.getByText('Answering: s1')).toBeTruthy()
  act(() => hear({ type: 'events.resumed' }))
  expect(screen.getByText('Answering:')).toBeTruthy()
})

const session = (id: string) => ({ id, session_name: id, updated_at: '2026-05-01T08:00:00Z' }) as ChatSessionJson

function Names() {
  const { sessions } = useSessionList({ query: '' })
  return <p>Names: {sessions.map(({ id }) => id).join()}</p>
}

/** Shows a list that is being read again, twice: the answers come when they are told to. */
async function readTwice() {
  const list = route('GET /chat/sessions').mockResolvedValueOnce([session('one'), session('two')])
  await renderPart(<Names />)
  expect(await screen.findByText('Names: one,two')).toBeTruthy()
  const answers = [Promise.withResolvers<ChatSessionJson[]>(), Promise.withResolvers<ChatSessionJson[]>()]
  for (const [index, { promise }] of answers.entries()) {
    list.mockReturnValueOnce(promise)
    act(() => hear({ type: 'chat.updated', session_id: 'two', answering: false }))
    await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(index + 2))
  }
  const answer = (number: 0 | 1, ...ids: string[]) => act(async () => answers[number]?.resolve(ids.map(session)))
  return { list, answer }
}

test('an answer that comes late does not replace a newer one', async () => {
  const { answer } = await readTwice()
  await answer(1, 'two', 'one', 'new')
  await screen.findByText('Names: two,one,new')
  await answer(0, 'one', 'two')
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(screen.getByText('Names: two,one,new')).toBeTruthy()
})

test('a conversation that was deleted while the list was read does not come back', async () => {
  const { list, answer } = await readTwice()
  list.mockResolvedValue([session('one')])
  act(() => hear({ type: 'chat.updated', session_id: 'two', deleted: true }))
  await answer(0, 'one', 'two')
  await answer(1, 'one', 'two')
  await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(4))
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(screen.getByText('Names: one')).toBeTruthy()
})
