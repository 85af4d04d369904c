import { setTimeout as sleep } from 'node:timers/promises'
import type { LoginResponse } from '@mira/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen, type ReadStream } from '../../../../test/chat-client.ts'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { fastestOf } from '../../../../test/fastest.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import {
  type ProcessUnderTest,
  prepareInstance,
  startProcess,
  type TestInstance,
} from '../../../../test/server-process.ts'
import { startTcpProxy } from '../../../../test/tcp-proxy.ts'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'
import { type Database, openDatabase } from '../../../platform/database/client.ts'

// The tests start processes and wait for crashed ones to be noticed.
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
  let instance: TestInstance
  let serverProcess: ProcessUnderTest

  const start = async () => {
    serverProcess = startProcess('server.ts', {
      ...instance.environment,
      ADMIN_PASSWORD: TEST_PASSWORD,
      OPENAI_BASE_URL: model.baseUrl,
      CHAT_MODEL: 'test-model',
      LOG_LEVEL: 'error',
    })
    return signIn(await serverProcess.ready)
  }

  afterEach(async () => {
    serverProcess.kill('SIGKILL')
    await serverProcess.exited
    await instance.remove()
  })

  test('that is killed during an answer keeps the text so far, marked interrupted', async () => {
    instance = await prepareInstance()
    const before = await start()
    model.next({ text: NUMBERS, delayMs: 50 })
    const stream = await before.send({ content: 'Count', client_id: 'one' })
    await stream.until((one) => one.text().includes('19'))
    serverProcess.kill('SIGKILL')
    await serverProcess.exited
    await stream.ended
    expect(stream.isDone).toBe(false)

    const after = await start()
    const { sessionId, messageId } = idsOf(stream)
    await expect.poll(async () => (await after.read(sessionId)).messages[1]?.streaming, { timeout: 60_000 }).toBe(false)
    const [question, answer] = (await after.read(sessionId)).messages
    expect(question?.content).toBe('Count')
    expect(answer).toMatchObject({ interrupted: true, error: null })
    // Everything but the last moments, and nothing that wasn't sent.
    expect(NUMBERS.join('').startsWith(answer?.content ?? 'x')).toBe(true)
    expect(answer?.content).toContain('12')

    const rest = await after.streamAnswer(sessionId, { messageId, lastEventId: 1 })
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

  test('that gets SIGTERM stores its running answers, marked interrupted', async () => {
    instance = await prepareInstance()
    const before = await start()
    model.next({ text: NUMBERS, delayMs: 50 })
    const stream = await before.send({ content: 'Count' })
    await stream.until((one) => one.text().includes('9'))
    const text = stream.text()
    serverProcess.kill('SIGTERM')
    // it exits with 1 when it's forced to end after five seconds
    expect(await serverProcess.exited).toBe(0)

    const after = await start()
    const answer = (await after.read(idsOf(stream).sessionId)).messages[1]
    expect(answer).toMatchObject({ interrupted: true, streaming: false })
    expect(answer?.content.startsWith(text)).toBe(true)
  })
})

describe('losing the database during an answer', () => {
  /** Streams an answer, causes `outage` after its first words, and expects it to be complete and stored. */
  const expectAnswerSurvives = async (database: Database, outage: () => Promise<void>) => {
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

  test.skipIf(isOnServer)('loses no text when the embedded database crashes', async () => {
    // An in-memory database would be lost with its worker; a folder outlives it.
    const instance = await prepareInstance()
    try {
      const database = await openDatabase({ dataDir: instance.environment.DATA_DIR, log: silentLog })
      await expectAnswerSurvives(database, async () => database.kill?.())
    } finally {
      await instance.remove()
    }
  })

  test.runIf(isOnServer)('loses no text when the database server is unreachable for a while', async () => {
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL!)
    const directUrl = new URL(databaseUrl)
    const proxy = await startTcpProxy({ host: directUrl.hostname, port: Number(directUrl.port) })
    const proxiedUrl = new URL(databaseUrl)
    proxiedUrl.host = `127.0.0.1:${proxy.port}`
    try {
      const database = await openDatabase({ databaseUrl: proxiedUrl.href, dataDir: 'memory://', log: silentLog })
      await expectAnswerSurvives(database, async () => {
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
  let firstServer: TestApp
  let secondServer: TestApp
  let firstClient: ChatClient
  let secondClient: ChatClient

  beforeAll(async () => {
    const database = await openTestDatabase()
    const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', JWT_SECRET: 'x'.repeat(40) }
    const answerLimits = { silentMs: 1500, sweepIntervalMs: 300 }
    firstServer = await startTestApp({ database, environment, answerLimits, isStarted: true })
    const secondDatabase = await openDatabase({
      databaseUrl: database.databaseUrl!,
      dataDir: 'memory://',
      log: silentLog,
    })
    secondServer = await startTestApp({ database: secondDatabase, environment, answerLimits, isStarted: true })
    firstClient = createChatClient(await listen(firstServer.app), firstServer.admin.token)
    secondClient = createChatClient(await listen(secondServer.app), firstServer.admin.token)
    await sleep(500)
  })
  afterAll(async () => {
    await secondServer.close()
    await firstServer.close()
  })

  test('an answer of one can be followed on the other, from any event, without a gap', async () => {
    model.next({ text: NUMBERS, delayMs: 30 })
    const stream = await firstClient.send({ content: 'Count' })
    await stream.until((one) => one.received.length >= 5)
    const { sessionId, messageId } = idsOf(stream)
    const fullStream = await secondClient.streamAnswer(sessionId)
    const rest = await secondClient.streamAnswer(sessionId, { messageId, lastEventId: 3 })
    await Promise.all([stream.ended, fullStream.ended, rest.ended])
    expect(fullStream.received).toEqual(stream.received)
    expect(rest.received).toEqual(stream.received.slice(3))
    expect(fullStream.isDone).toBe(true)
  })

  test('text of one reaches the other within half a second, unless the machine stalls', async () => {
    model.next({ text: NUMBERS, delayMs: 100 })
    const stream = await firstClient.send({ content: 'Count' })
    await stream.until(hasChunk)
    const other = await secondClient.streamAnswer(idsOf(stream).sessionId)
    await other.until(hasChunk)
    const delays: number[] = []
    for (const word of ['12', '17', '22', '27', '32']) {
      await stream.until((one) => one.text().includes(word))
      const startedAt = performance.now()
      await other.until((one) => one.text().includes(word))
      delays.push(performance.now() - startedAt)
    }
    expect(Math.min(...delays)).toBeLessThan(500)
    await secondClient.stop(idsOf(stream).sessionId)
    await Promise.all([stream.ended, other.ended])
  })

  test('an answer of one can be stopped on the other within a second', async () => {
    const fastest = await fastestOf(async () => {
      model.next({ text: NUMBERS, delayMs: 50, hang: 20 })
      const stream = await firstClient.send({ content: 'Count' })
      await stream.until(hasChunk)
      const { sessionId } = idsOf(stream)
      const stoppedAt = performance.now()
      expect(await secondClient.stop(sessionId)).toBe(204)
      await stream.ended
      const tookMs = performance.now() - stoppedAt
      expect(stream.received.at(-1)?.event).toMatchObject({ interrupted: true })
      expect((await secondClient.read(sessionId)).messages[1]).toMatchObject({
        interrupted: true,
        content: stream.text(),
      })
      return tookMs
    })
    expect(fastest).toBeLessThan(1000)
  })

  test('a conversation has one answer at a time across both', async () => {
    model.next({ text: NUMBERS, delayMs: 20 })
    const stream = await firstClient.send({ content: 'Count' })
    await stream.until(hasChunk)
    const { sessionId } = idsOf(stream)
    expect((await secondClient.send({ content: 'Me too', session_id: sessionId })).status).toBe(409)
    expect((await secondClient.read(sessionId)).messages[1]?.streaming).toBe(true)
    await secondClient.stop(sessionId)
    await stream.ended
  })

  test('the same message sent to both is answered once', async () => {
    // slow enough for the redundant request to be aborted before its end
    for (let count = 0; count < 2; count++) model.next({ text: NUMBERS, delayMs: 20 })
    const streams = await Promise.all(
      [firstClient, secondClient].map((client) => client.send({ content: 'Hello', client_id: 'both' })),
    )
    await Promise.all(streams.map(({ ended }) => ended))
    expect(streams[1]?.received).toEqual(streams[0]?.received)
    // the other server may have called the model too, and has aborted the call then
    await expect.poll(() => model.chats().filter(({ answeredAt }) => answeredAt !== undefined)).toHaveLength(1)
    expect(model.chats().filter(({ abandonedAt }) => abandonedAt === undefined)).toHaveLength(1)
  })

  test('an answer whose server dies is ended by the other, with the text so far', async () => {
    const instance = { ...(await prepareInstance()) }
    const dyingProcess = startProcess('server.ts', {
      ...instance.environment,
      DATABASE_URL: (firstServer.context.database as { databaseUrl?: string }).databaseUrl!,
      JWT_SECRET: 'x'.repeat(40),
      OPENAI_BASE_URL: model.baseUrl,
      CHAT_MODEL: 'test-model',
      LOG_LEVEL: 'error',
    })
    try {
      const client = createChatClient(await dyingProcess.ready, firstServer.admin.token)
      model.next({ text: NUMBERS, delayMs: 50 })
      const stream = await client.send({ content: 'Count' })
      await stream.until((one) => one.text().includes('15'))
      const { sessionId } = idsOf(stream)
      const follower = await firstClient.streamAnswer(sessionId)
      dyingProcess.kill('SIGKILL')
      await follower.ended
      expect(follower.isDone).toBe(true)
      expect(follower.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: true })
      expect((await firstClient.read(sessionId)).messages[1]).toMatchObject({
        interrupted: true,
        content: follower.text(),
      })
      expect(follower.text()).toContain('9')
    } finally {
      dyingProcess.kill('SIGKILL')
      await dyingProcess.exited
      await instance.remove()
    }
  })
})
