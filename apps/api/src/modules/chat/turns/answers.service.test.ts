import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from '../../../log.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createLinks } from '../conversations/links.ts'
import { type AnswersDeps, createAnswers } from './answers.service.ts'
import type { AnswerResult } from './answers.store.ts'
import type { StartedAnswer } from './questions.store.ts'
import { STALE_PAGE_SIZE, type StaleAnswer } from './stored-answers.store.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })
const closeAfterwards: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closeAfterwards.splice(0)) await close()
})

function createAnswersWith(options: { store?: object; stored?: object; limits?: AnswersDeps['limits'] }) {
  const store = {
    flush: async (ids: string[]) => ids.map((messageId) => ({ messageId, isStopRequested: false })),
    finish: async () => true,
    ...options.store,
  }
  const stored = { findStale: async () => [], ...options.stored }
  const answers = createAnswers({
    store: store as unknown as AnswersDeps['store'],
    stored: stored as unknown as AnswersDeps['stored'],
    database: { listen: () => () => {}, notify: async () => {} },
    serverId: newId(),
    isOnlyServer: true,
    events: { publish: () => {} },
    onAnswered: () => {},
    links: createLinks((_userId, path) => path),
    log: createLog('silent'),
    limits: { flushIntervalMs: 5, sweepIntervalMs: 20, silentMs: 0, ...options.limits },
  })
  closeAfterwards.push(answers.close)
  return answers
}

const newAnswer = (): StartedAnswer => ({
  userId: 'somebody',
  sessionId: newId(),
  sessionName: 'Hello',
  questionId: newId(),
  messageId: newId(),
  parentId: null,
})
const traits = { engine: 'x', model: 'x', startedAt: 0, countsInAnalytics: true }
const newStaleAnswer = (): StaleAnswer => ({ ...newAnswer(), heartbeatAt: new Date(0) })

/** Runs an answer to its end; returns its record and the text that a reader received. */
async function runAnswer(answers: ReturnType<typeof createAnswersWith>, content = 'Hello') {
  const answer = newAnswer()
  const ended = answers.run(answer, traits, async function* () {
    yield { type: 'text', text: content }
    yield { type: 'end', model: 'x', usage: null }
  })
  const received: string[] = []
  for await (const text of answers.read(answer.userId, answer.messageId, 0, new AbortController().signal))
    received.push(text)
  return { recorded: await ended, text: received.join('') }
}

test('a stale answer that can’t be ended holds up neither the server nor other answers', async () => {
  const [broken, other] = [newStaleAnswer(), newStaleAnswer()]
  const interrupt = vi.fn(async ({ messageId }: StaleAnswer) => {
    if (messageId === broken.messageId) throw withCode('54000')
    return true
  })
  const answers = createAnswersWith({ stored: { findStale: async () => [broken, other], interrupt } })
  await answers.start()
  const attempts = interrupt.mock.calls.slice(0, 3) as unknown as [StaleAnswer, number?][]
  expect(attempts.map(([{ messageId }, maxCharacters]) => [messageId, maxCharacters])).toEqual([
    [broken.messageId, undefined],
    [broken.messageId, 20_000],
    [other.messageId, undefined],
  ])
})

test('a full page of stale answers that can’t be ended doesn’t block the others', async () => {
  const stale = Array.from({ length: STALE_PAGE_SIZE + 1 }, newStaleAnswer)
  const last = stale.at(-1)
  const interrupt = vi.fn(async ({ messageId }: StaleAnswer) => {
    if (messageId !== last?.messageId) throw withCode('54000')
    return true
  })
  const findStale = async (_silentMs: number, _exceptServerId: string | null, afterId?: string) => {
    const from = stale.findIndex(({ messageId }) => messageId === afterId) + 1
    return stale.slice(from, from + STALE_PAGE_SIZE)
  }
  await createAnswersWith({ stored: { findStale, interrupt } }).start()
  expect(interrupt).toHaveBeenCalledWith(last)
})

test('a server starts even if looking for stale answers fails, unless the database is unreachable', async () => {
  const failing = (code: string) => createAnswersWith({ stored: { findStale: () => Promise.reject(withCode(code)) } })
  await failing('42703').start()
  await expect(failing('ECONNREFUSED').start()).rejects.toThrow('ECONNREFUSED')
})

test('an answer rejected by the database is stored again, truncated', async () => {
  const finish = vi.fn(async ({ content }: AnswerResult) => {
    if (content.length > 100_000) throw withCode('54000')
    return true
  })
  const { recorded, text } = await runAnswer(createAnswersWith({ store: { finish } }), 'x'.repeat(200_000))
  expect(finish.mock.calls.map(([{ content }]) => content.length)).toEqual([200_000, 20_000])
  expect(recorded?.result.state).toBe('complete')
  expect(text).toContain('"type":"complete"')
})

test('an answer that can’t be stored at all is reported to its reader', async () => {
  const finish = vi.fn(() => Promise.reject(withCode('42703')))
  const { recorded, text } = await runAnswer(createAnswersWith({ store: { finish } }))
  expect(finish).toHaveBeenCalledTimes(2)
  expect(recorded).toBeNull()
  expect(text).toContain('couldn’t be saved')
})

test.each(['40P01', '40001'])('an answer whose storing fails with %s is stored completely on retry', async (code) => {
  const finish = vi.fn(async (_result: AnswerResult) => true).mockRejectedValueOnce(withCode(code))
  const { recorded } = await runAnswer(createAnswersWith({ store: { finish } }))
  expect(finish.mock.calls.map(([{ content }]) => content)).toEqual(['Hello', 'Hello'])
  expect(recorded?.result.state).toBe('complete')
})

test('an answer that is being stored during a flush isn’t mistaken for deleted', async () => {
  let isFinished = false
  const finish = async () => {
    isFinished = true
    await sleep(50)
    return true
  }
  const flush = async (ids: string[]) =>
    isFinished ? [] : ids.map((messageId) => ({ messageId, isStopRequested: false }))
  const { recorded } = await runAnswer(createAnswersWith({ store: { finish, flush } }))
  expect(recorded?.result.state).toBe('complete')
})

test('reserved answers count towards the limit until they’re released', async () => {
  const answers = createAnswersWith({ limits: { maxPerUser: 2 } })
  const [first] = [answers.reserve('somebody'), answers.reserve('somebody')]
  expect(() => answers.reserve('somebody')).toThrow('You have many answers in progress.')
  answers.reserve('somebody else')[Symbol.dispose]()
  first?.[Symbol.dispose]()
  answers.reserve('somebody')
  expect(() => answers.reserve('somebody')).toThrow('many answers')
})
