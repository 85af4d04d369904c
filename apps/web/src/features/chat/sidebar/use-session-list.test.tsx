// @vitest-environment happy-dom

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
