// @vitest-environment happy-dom

import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { AnswerNotices } from './answer-notices.tsx'

const nobody = () => {}
let hear: (event: ClientEvent) => void = nobody
vi.mock('../../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    hear = handler
  },
}))
vi.mock('../../../lib/browser/once-in-browser.ts', () => ({
  onceInBrowser: (_name: string, work: () => void) => work(),
}))

const shownTitles: string[] = []
class FakeNotification {
  static permission = 'granted'
  constructor(title: string, { tag }: { tag: string }) {
    shownTitles.push(`${title} ${tag}`)
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
  hear(updated(true))
  now.mockReturnValue(1_000_000 + seconds * 1000)
  hear(updated(false))
  now.mockRestore()
}

/** Renders them, and waits until their words are there. */
async function listen(): Promise<void> {
  await renderPart(<AnswerNotices />)
  await vi.waitFor(() => expect(hear).not.toBe(nobody))
}

beforeEach(() => {
  shownTitles.length = 0
  hear = nobody
  vi.stubGlobal('Notification', FakeNotification)
})

it('tells of an answer that took long while the page is not in front, once', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await listen()
  answerFor(30)
  hear(updated(false))
  expect(shownTitles).toEqual([expect.stringMatching(/has answered \/chat\?session=s1$/)])
})

it('tells nothing of one whose end may have been missed', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await listen()
  hear(updated(true))
  hear({ type: 'events.resumed' })
  vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() + 3_600_000)
  hear(updated(false))
  expect(shownTitles).toEqual([])
})

it('tells nothing of a short one, and nothing to who looks at the page', async () => {
  const hasFocus = vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  await listen()
  answerFor(2)
  hasFocus.mockReturnValue(true)
  answerFor(30)
  expect(shownTitles).toEqual([])
})
