import { setTimeout as sleep } from 'node:timers/promises'
import type { LoginResponse } from '@mira/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen, type ReadStream } from '../../../../test/chat-client.ts'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { quickestOf } from '../../../../test/quickest.ts'
import {
  type ProcessUnderTest,
  prepareInstance,
  startProcess,
  type TestInstance,
} from '../../../../test/server-process.ts'
import { startTcpProxy } from '../../../../test/tcp-proxy.ts'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'
import { type Database, openDatabase } from '../../../platform/database/client.ts'

// Processes are started, and dead ones are waited for.
vi.setConfig({ testTimeout: 120_000 })
const isOnServer = process.env.TEST_DATABASE_URL !== undefined

let model: OpenAiServer

beforeAll(async () => {
  model = await startOpenAiServer()
})
afterEach(() => model.reset())
afterAll(() => model.close())

const hasChunk = (stream: ReadStream) => stream.received.some(({ event }) => event.type === 'chunk')
const NUMBERS = Array.from({ length: 40 }, (_, n) => `${n} `)

async function signIn(url: string): Promise<ChatClient> {
  const body = new URLSearchParams({ username: 'admin', password: TEST_PASSWORD })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
  return createChatClient(url, ((await response.json()) as LoginResponse).access_token)
}

describe('a server process', () => {
  let place: TestInstance
  let running: ProcessUnderTest

  const start = async () => {
    running = startProcess('server.ts', {
      ...place.environment,
      ADMIN_PASSWORD: TEST_PASSWORD,
      OPENAI_BASE_URL: model.baseUrl,
      CHAT_MODEL: 'test-model',
      LOG_LEVEL: 'error',
    })
    return signIn(await running.ready)
  }

  afterEach(async () => {
    running.kill('SIGKILL')
    await running.exited
    await place.remove()
  })

  test('that is killed in the middle of an answer keeps what had arrived, marked interrupted', async () => {
    place = await prepareInstance()
    const before = await start()
    model.next({ text: NUMBERS, delayMs: 50 })
    const stream = await before.send({ content: 'Count', client_id: 'one' })
    await stream.until((one) => one.text().includes('19'))
    running.kill('SIGKILL')
    await running.exited
    await stream.ended
    expect(stream.isDone).toBe(false)

    const after = await start()
    const { sessionId, messageId } = idsOf(stream)
    await expect.poll(async () => (await after.read(sessionId)).messages[1]?.streaming, { timeout: 60_000 }).toBe(false)
    const [question, answer] = (await after.read(sessionId)).messages
    expect(question?.content).toBe('Count')
    expect(answer).toMatchObject({ interrupted: true, error: null })
    // All but what came in the last moments; nothing that did not come.
    expect(NUMBERS.join('').startsWith(answer?.content ?? 'x')).toBe(true)
    expect(answer?.content).toContain('12')

    const rest = await after.follow(sessionId, { messageId, lastEventId: 1 })
    await rest.ended
    expect(rest.text()).toBe(answer?.content)
    expect(rest.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: true })
    const again = await after.send({ content: 'Count', client_id: 'one' })
    await again.ended
    expect(idsOf(again).messageId).toBe(messageId)
    const next = await after.send({ content: 'Go on', session_id: sessionId })
    await next.ended
    expect(next.text()).toBe('You said: Go on')
  })

  test('that is asked to end stores its running answers, marked interrupted', async () => {
    place = await prepareInstance()
    const before = await start()
    model.next({ text: NUMBERS, delayMs: 50 })
    const stream = await before.send({ content: 'Count' })
    await stream.until((one) => one.text().includes('9'))
    const text = stream.text()
    running.kill('SIGTERM')
    // it ends with 1 when it had to be ended after five seconds
    expect(await running.exited).toBe(0)

    const after = await start()
    const answer = (await after.read(idsOf(stream).sessionId)).messages[1]
    expect(answer).toMatchObject({ interrupted: true, streaming: false })
    expect(answer?.content.startsWith(text)).toBe(true)
  })
})

describe('the database going away in the middle of an answer', () => {
  /** Streams an answer, lets `outage` happen after its first words, and expects the whole of it, stored. */
  const answerThrough = async (database: Database, outage: () => Promise<void>) => {
    const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' }
    const server = await startTestApp({ database, environment })
    try {
      const client = createChatClient(await listen(server.app), server.admin.token)
      model.next({ text: NUMBERS, delayMs: 50 })
      const stream = await client.send({ content: 'Count' })
      await stream.until(hasChunk)
      await outage()
      await stream.ended
      expect(stream.text()).toBe(NUMBERS.join(''))
      expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: false })
      const answer = (await client.read(idsOf(stream).sessionId)).messages[1]
      expect(answer).toMatchObject({ content: NUMBERS.join(''), interrupted: false })
    } finally {
      await server.close()
    }
  }

  test.skipIf(isOnServer)('loses nothing when the embedded one crashes', async () => {
    // What is in memory would be gone with its worker: a folder outlives it.
    const place = await prepareInstance()
    try {
      const database = await openDatabase({ dataDir: place.environment.DATA_DIR, log: silentLog })
      await answerThrough(database, async () => database.kill?.())
    } finally {
      await place.remove()
    }
  })

  test.runIf(isOnServer)('loses nothing when the server cannot be reached for a while', async () => {
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL!)
    const direct = new URL(databaseUrl)
    const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port) })
    const through = new URL(databaseUrl)
    through.host = `127.0.0.1:${proxy.port}`
    try {
      const database = await openDatabase({ databaseUrl: through.href, dataDir: 'memory://', log: silentLog })
      await answerThrough(database, async () => {
        await proxy.cut()
        await sleep(1500)
        await proxy.mend()
      })
    } finally {
      await proxy.cut()
      await drop()
    }
  })
})

describe.runIf(isOnServer)('two servers on one database', () => {
  let here: TestApp
  let there: TestApp
  let nearby: ChatClient
  let faraway: ChatClient

  beforeAll(async () => {
    const database = await openTestDatabase()
    const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', JWT_SECRET: 'x'.repeat(40) }
    const answerLimits = { silentMs: 1500, sweepIntervalMs: 300 }
    here = await startTestApp({ database, environment, answerLimits, isStarted: true })
    const second = await openDatabase({ databaseUrl: database.databaseUrl!, dataDir: 'memory://', log: silentLog })
    there = await startTestApp({ database: second, environment, answerLimits, isStarted: true })
    nearby = createChatClient(await listen(here.app), here.admin.token)
    faraway = createChatClient(await listen(there.app), here.admin.token)
    await sleep(500)
  })
  afterAll(async () => {
    await there.close()
    await here.close()
  })

  test('an answer that one makes is followed on the other, from any place, without a gap', async () => {
    model.next({ text: NUMBERS, delayMs: 30 })
    const stream = await nearby.send({ content: 'Count' })
    await stream.until((one) => one.received.length >= 5)
    const { sessionId, messageId } = idsOf(stream)
    const whole = await faraway.follow(sessionId)
    const rest = await faraway.follow(sessionId, { messageId, lastEventId: 3 })
    await Promise.all([stream.ended, whole.ended, rest.ended])
    expect(whole.received).toEqual(stream.received)
    expect(rest.received).toEqual(stream.received.slice(3))
    expect(whole.isDone).toBe(true)
  })

  test('what comes is seen on the other within half a second, unless the machine stops', async () => {
    model.next({ text: NUMBERS, delayMs: 100 })
    const stream = await nearby.send({ content: 'Count' })
    await stream.until(hasChunk)
    const other = await faraway.follow(idsOf(stream).sessionId)
    await other.until(hasChunk)
    const delays: number[] = []
    for (const word of ['12', '17', '22', '27', '32']) {
      await stream.until((one) => one.text().includes(word))
      const startedAt = performance.now()
      await other.until((one) => one.text().includes(word))
      delays.push(performance.now() - startedAt)
    }
    expect(Math.min(...delays)).toBeLessThan(500)
    await faraway.stop(idsOf(stream).sessionId)
    await Promise.all([stream.ended, other.ended])
  })

  test('an answer that one makes is stopped on the other within a second', async () => {
    const quickest = await quickestOf(async () => {
      model.next({ text: NUMBERS, delayMs: 50, hang: 20 })
      const stream = await nearby.send({ content: 'Count' })
      await stream.until(hasChunk)
      const { sessionId } = idsOf(stream)
      const stoppedAt = performance.now()
      expect(await faraway.stop(sessionId)).toBe(204)
      await stream.ended
      const tookMs = performance.now() - stoppedAt
      expect(stream.received.at(-1)?.event).toMatchObject({ interrupted: true })
      expect((await faraway.read(sessionId)).messages[1]).toMatchObject({ interrupted: true, content: stream.text() })
      return tookMs
    })
    expect(quickest).toBeLessThan(1000)
  })

  test('there is one answer at a time in a conversation, on both together', async () => {
    model.next({ text: NUMBERS, delayMs: 20 })
    const stream = await nearby.send({ content: 'Count' })
    await stream.until(hasChunk)
    const { sessionId } = idsOf(stream)
    expect((await faraway.send({ content: 'Me too', session_id: sessionId })).status).toBe(409)
    expect((await faraway.read(sessionId)).messages[1]?.streaming).toBe(true)
    await faraway.stop(sessionId)
    await stream.ended
  })

  test('the same message sent to both is one message', async () => {
    // long enough for one that asks in vain to leave before its end
    for (let count = 0; count < 2; count++) model.next({ text: NUMBERS, delayMs: 20 })
    const streams = await Promise.all(
      [nearby, faraway].map((client) => client.send({ content: 'Hello', client_id: 'both' })),
    )
    await Promise.all(streams.map(({ ended }) => ended))
    expect(streams[1]?.received).toEqual(streams[0]?.received)
    // the other server may have begun to ask as well, and has left the model then
    await expect.poll(() => model.chats().filter(({ answeredAt }) => answeredAt !== undefined)).toHaveLength(1)
    expect(model.chats().filter(({ abandonedAt }) => abandonedAt === undefined)).toHaveLength(1)
  })

  test('what dies with one is ended by the other, with what had arrived', async () => {
    const place = { ...(await prepareInstance()) }
    const dying = startProcess('server.ts', {
      ...place.environment,
      DATABASE_URL: (here.context.database as { databaseUrl?: string }).databaseUrl!,
      JWT_SECRET: 'x'.repeat(40),
      OPENAI_BASE_URL: model.baseUrl,
      CHAT_MODEL: 'test-model',
      LOG_LEVEL: 'error',
    })
    try {
      const client = createChatClient(await dying.ready, here.admin.token)
      model.next({ text: NUMBERS, delayMs: 50 })
      const stream = await client.send({ content: 'Count' })
      await stream.until((one) => one.text().includes('15'))
      const { sessionId } = idsOf(stream)
      const follower = await nearby.follow(sessionId)
      dying.kill('SIGKILL')
      await follower.ended
      expect(follower.isDone).toBe(true)
      expect(follower.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: true })
      expect((await nearby.read(sessionId)).messages[1]).toMatchObject({ interrupted: true, content: follower.text() })
      expect(follower.text()).toContain('9')
    } finally {
      dying.kill('SIGKILL')
      await dying.exited
      await place.remove()
    }
  })
})
