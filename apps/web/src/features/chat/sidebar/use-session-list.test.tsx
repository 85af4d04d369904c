// @vitest-environment happy-dom

import type { ChatSessionJson } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { useSessionList } from './use-session-list.ts'

let emit: (event: ClientEvent) => void = () => {}
vi.mock('../../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    emit = handler
  },
}))

function Answering() {
  const { answeringIds } = useSessionList({ query: '' })
  return <p>Answering: {[...answeringIds].join()}</p>
}

test('a conversation is no longer marked as answering when the end of its answer may have been missed', async () => {
  route('GET /chat/sessions').mockResolvedValue([])
  await renderPart(<Answering />)
  act(() => emit({ type: 'chat.updated', session_id: 's1', answering: true }))
  expect(screen.getByText('Answering: s1')).toBeTruthy()
  act(() => emit({ type: 'events.resumed' }))
  expect(screen.getByText('Answering:')).toBeTruthy()
})

const session = (id: string) => ({ id, session_name: id, updated_at: '2026-05-01T08:00:00Z' }) as ChatSessionJson

function Names() {
  const { sessions } = useSessionList({ query: '' })
  return <p>Names: {sessions.map(({ id }) => id).join()}</p>
}

/** Renders a list with two pending reloads that the test completes. */
async function renderWithTwoReloads() {
  const list = route('GET /chat/sessions').mockResolvedValueOnce([session('one'), session('two')])
  await renderPart(<Names />)
  expect(await screen.findByText('Names: one,two')).toBeTruthy()
  const responses = [Promise.withResolvers<ChatSessionJson[]>(), Promise.withResolvers<ChatSessionJson[]>()]
  for (const [index, { promise }] of responses.entries()) {
    list.mockReturnValueOnce(promise)
    act(() => emit({ type: 'chat.updated', session_id: 'two', answering: false }))
    await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(index + 2))
  }
  const respond = (number: 0 | 1, ...ids: string[]) => act(async () => responses[number]?.resolve(ids.map(session)))
  return { list, respond }
}

test('a late response doesn’t replace a newer one', async () => {
  const { respond } = await renderWithTwoReloads()
  await respond(1, 'two', 'one', 'new')
  await screen.findByText('Names: two,one,new')
  await respond(0, 'one', 'two')
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(screen.getByText('Names: two,one,new')).toBeTruthy()
})

test('a conversation deleted during a reload doesn’t reappear', async () => {
  const { list, respond } = await renderWithTwoReloads()
  list.mockResolvedValue([session('one')])
  act(() => emit({ type: 'chat.updated', session_id: 'two', deleted: true }))
  await respond(0, 'one', 'two')
  await respond(1, 'one', 'two')
  await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(4))
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(screen.getByText('Names: one')).toBeTruthy()
})
