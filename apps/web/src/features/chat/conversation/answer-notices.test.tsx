// @vitest-environment happy-dom

import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { AnswerNotices } from './answer-notices.tsx'

const noop = () => {}
let emit: (event: ClientEvent) => void = noop
vi.mock('../../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    emit = handler
  },
}))
vi.mock('../../../lib/browser/once-in-browser.ts', () => ({
  onceInBrowser: (_name: string, work: () => void) => work(),
}))

const shownNotifications: string[] = []
class FakeNotification {
  static permission = 'granted'
  constructor(title: string, { tag }: { tag: string }) {
    shownNotifications.push(`${title} ${tag}`)
  }
}
const updated = (answering: boolean): ClientEvent => ({
  type: 'chat.updated',
  session_id: 's1',
  deleted: false,
  answering,
})
const answerFor = (seconds: number) => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(1_000_000)
  emit(updated(true))
  now.mockReturnValue(1_000_000 + seconds * 1000)
  emit(updated(false))
  now.mockRestore()
}

/** Renders the notices and waits until they listen. */
async function listen(): Promise<void> {
  await renderPart(<AnswerNotices />)
  await vi.waitFor(() => expect(emit).not.toBe(noop))
}

beforeEach(() => {
  shownNotifications.length = 0
  emit = noop
  vi.stubGlobal('Notification', FakeNotification)
})

it('notifies once of an answer that took long while the page isn’t focused', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await listen()
  answerFor(30)
  emit(updated(false))
  expect(shownNotifications).toEqual([expect.stringMatching(/has answered \/chat\?session=s1$/)])
})

it('doesn’t notify of an answer whose end may have been missed', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await listen()
  emit(updated(true))
  emit({ type: 'events.resumed' })
  vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() + 3_600_000)
  emit(updated(false))
  expect(shownNotifications).toEqual([])
})

it('doesn’t notify of a short answer, or while the page is focused', async () => {
  const hasFocus = vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await listen()
  answerFor(2)
  hasFocus.mockReturnValue(true)
  answerFor(30)
  expect(shownNotifications).toEqual([])
})
