import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from '../../../log.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createLinks } from '../conversations/links.ts'
import { type AnswersDeps, createAnswers } from './answers.service.ts'
import type { AnswerResult } from './answers.store.ts'
import type { BegunAnswer } from './questions.store.ts'
import type { StaleAnswer } from './stored-answers.store.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })
const closeAfterwards: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closeAfterwards.splice(0)) await close()
})

function answersOn(options: { store?: object; stored?: object; limits?: AnswersDeps['limits'] }) {
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

const startAnswer = (): BegunAnswer => ({
  userId: 'somebody',
  sessionId: newId(),
  sessionName: 'Hello',
  questionId: newId(),
  messageId: newId(),
  parentId: null,
})
const traits = { engine: 'x', model: 'x', startedAt: 0, inAnalytics: true }
const stale = (): StaleAnswer => ({ ...startAnswer(), heartbeatAt: new Date(0) })

/** Makes an answer to its end; what was told of it when it was stored. */
async function make(answers: ReturnType<typeof answersOn>, content = 'Hello') {
  const answer = startAnswer()
  const ended = answers.run(answer, traits, async function* () {
    yield { type: 'text', text: content }
    yield { type: 'end', model: 'x', usage: null }
  })
  const received: string[] = []
  for await (const text of answers.read(answer.userId, answer.messageId, 0, new AbortController().signal))
    received.push(text)
  return { recorded: await ended, text: received.join('') }
}

test('one answer that cannot be ended keeps neither the server nor the others back', async () => {
  const [broken, other] = [stale(), stale()]
  const interrupt = vi.fn(async ({ messageId }: StaleAnswer) => {
    if (messageId === broken.messageId) throw withCode('54000')
    return true
  })
  const answers = answersOn({ stored: { findStale: async () => [broken, other], interrupt } })
  await answers.start()
  const tried = interrupt.mock.calls.slice(0, 3) as unknown as [StaleAnswer, number?][]
  expect(tried.map(([{ messageId }, maxCharacters]) => [messageId, maxCharacters])).toEqual([
    [broken.messageId, undefined],
    [broken.messageId, 20_000],
    [other.messageId, undefined],
  ])
})

test('a server starts although looking for answers fails, unless the database is away', async () => {
  const failing = (code: string) => answersOn({ stored: { findStale: () => Promise.reject(withCode(code)) } })
  await failing('42703').start()
  await expect(failing('ECONNREFUSED').start()).rejects.toThrow('ECONNREFUSED')
})

test('an answer that the database refuses is stored once more, cut', async () => {
  const finish = vi.fn(async ({ content }: AnswerResult) => {
    if (content.length > 100_000) throw withCode('54000')
    return true
  })
  const { recorded, text } = await make(answersOn({ store: { finish } }), 'x'.repeat(200_000))
  expect(finish.mock.calls.map(([{ content }]) => content.length)).toEqual([200_000, 20_000])
  expect(recorded?.result.state).toBe('complete')
  expect(text).toContain('"type":"complete"')
})

test('an answer that cannot be stored at all is told to be so', async () => {
  const finish = vi.fn(() => Promise.reject(withCode('42703')))
  const { recorded, text } = await make(answersOn({ store: { finish } }))
  expect(finish).toHaveBeenCalledTimes(2)
  expect(recorded).toBeNull()
  expect(text).toContain('couldn’t be saved')
})

test.each(['40P01', '40001'])('an answer whose end meets %s is stored whole', async (code) => {
  const finish = vi.fn(async (_result: AnswerResult) => true).mockRejectedValueOnce(withCode(code))
  const { recorded } = await make(answersOn({ store: { finish } }))
  expect(finish.mock.calls.map(([{ content }]) => content)).toEqual(['Hello', 'Hello'])
  expect(recorded?.result.state).toBe('complete')
})

test('an answer whose end is stored while the others are looked at is not taken for deleted', async () => {
  let isFinished = false
  const finish = async () => {
    isFinished = true
    await sleep(50)
    return true
  }
  const flush = async (ids: string[]) =>
    isFinished ? [] : ids.map((messageId) => ({ messageId, isStopRequested: false }))
  const { recorded } = await make(answersOn({ store: { finish, flush } }))
  expect(recorded?.result.state).toBe('complete')
})

test('answers that are about to begin count towards the limit until they are given up', async () => {
  const answers = answersOn({ limits: { maxPerUser: 2 } })
  const [first] = [answers.reserve('somebody'), answers.reserve('somebody')]
  expect(() => answers.reserve('somebody')).toThrow('You have many answers in progress.')
  answers.reserve('somebody else')[Symbol.dispose]()
  first?.[Symbol.dispose]()
  answers.reserve('somebody')
  expect(() => answers.reserve('somebody')).toThrow('many answers')
})
