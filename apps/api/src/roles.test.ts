import { once } from 'node:events'
import { Agent, request as sendRequest } from 'node:http'
import type { Health } from '@mira/shared'
import pg from 'pg'
import sharp from 'sharp'
import { test as base, describe, expect, vi } from 'vitest'
import { type ChatClient, createChatClient, idsOf } from '../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../test/openai-server.ts'
import { type ProcessUnderTest, prepareInstance, startProcess, type TestInstance } from '../test/server-process.ts'
import { TEST_PASSWORD } from '../test/test-app.ts'

// Each test starts processes, and waits most of the time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000, maxConcurrency: 3 })

const WORDS = Array.from({ length: 40 }, (_, index) => `word${index} `)

interface RunningServer extends ProcessUnderTest {
  address: string
}

/** Instance of a test: the servers' shared database, their model server, and a function that starts a server. */
interface Installation {
  instance: TestInstance
  models: OpenAiServer
  servers: ProcessUnderTest[]
  start(role: 'web' | 'worker', environment?: Record<string, string>): Promise<RunningServer>
}

const test = base.extend<{ mira: Installation }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of what a fixture uses from it
  mira: async ({}, use) => {
    const instance = await prepareInstance()
    const models = await startOpenAiServer()
    const servers: ProcessUnderTest[] = []
    const start = async (role: 'web' | 'worker', environment: Record<string, string> = {}) => {
      const server = startProcess('server.ts', {
        ...instance.environment,
        ROLE: role,
        METRICS: 'open',
        ADMIN_PASSWORD: TEST_PASSWORD,
        OPENAI_BASE_URL: models.baseUrl,
        CHAT_MODEL: 'test-model',
        ...environment,
      })
      servers.push(server)
      return { ...server, address: await server.ready }
    }
    await use({ instance, models, servers, start })
    for (const server of servers) server.kill('SIGKILL')
    await Promise.all(servers.map(({ exited }) => exited))
    await models.close()
    await instance.remove()
  },
})

async function signIn({ address }: RunningServer): Promise<string> {
  const body = new URLSearchParams({ username: 'admin', password: TEST_PASSWORD })
  const response = await fetch(`${address}/api/auth/login`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}
const clientOf = async (server: RunningServer, token?: string) =>
  createChatClient(server.address, token ?? (await signIn(server)))

async function healthOf({ address }: RunningServer) {
  const response = await fetch(`${address}/api/health`)
  return {
    status: response.status,
    connection: response.headers.get('connection'),
    body: (await response.json()) as Health,
  }
}
const addNote = async (client: ChatClient, title: string) =>
  (await client.call<{ id: string }>('POST', '/notes', { title, text: `About ${title}.` })).body.id
const statusOf = async (client: ChatClient, id: string) =>
  (await client.call<{ processing_status: string }>('GET', `/media/${id}`)).body.processing_status
const untilCompleted = (client: ChatClient, id: string) =>
  vi.waitFor(async () => expect(await statusOf(client, id)).toBe('completed'), { timeout: 60_000, interval: 100 })
const untilStopping = (server: RunningServer) =>
  vi.waitFor(async () => expect((await healthOf(server)).status).toBe(503), 30_000)

// The embedded database belongs to a single process.
describe.runIf(process.env.TEST_DATABASE_URL !== undefined).concurrent('servers that share a database', () => {
  test('a web server leaves jobs to workers, and a worker serves nothing but its health and metrics', async ({
    mira: { start },
  }) => {
    const web = await start('web')
    const client = await clientOf(web)
    expect(await healthOf(web)).toMatchObject({ status: 200, body: { status: 'ok', role: 'web' } })
    expect((await client.call('GET', '/automation/health')).body).toMatchObject({ scheduler_running: false })
    const id = await addNote(client, 'lighthouses')
    // Longer than a server's interval of polling for jobs.
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    expect(await statusOf(client, id)).toBe('pending')

    const worker = await start('worker')
    await untilCompleted(client, id)
    expect((await client.call('GET', '/automation/health')).body).toMatchObject({ scheduler_running: true })
    expect(await healthOf(worker)).toMatchObject({ status: 200, body: { status: 'ok', role: 'worker' } })
    const metrics = await (await fetch(`${worker.address}/api/metrics`)).text()
    expect(metrics).toMatch(/^mira_info\{role="worker",version="[^"]+"\} 1$/m)
    for (const path of ['/', '/api/config', '/api/chat/sessions', '/v1/models', '/mcp'])
      expect((await fetch(`${worker.address}${path}`)).status, path).toBe(404)
  })

  test('a stopping web server completes a streaming answer, for clients of both servers', async ({
    mira: { models, start },
  }) => {
    const [leaving, staying] = await Promise.all([start('web', { DRAIN_SECONDS: '30' }), start('web')])
    const token = await signIn(leaving)
    const [client, otherClient] = [await clientOf(leaving, token), await clientOf(staying, token)]
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const idle = sendRequest(`${leaving.address}/api/config`, { agent }).end()
    const [response] = await once(idle, 'response')
    const closed = once(response.socket, 'close')
    response.resume()
    await once(response, 'end')

    models.next({ text: WORDS, delayMs: 250 })
    const stream = await client.send({ content: 'Count the words.' })
    await stream.until((one) => one.text().includes('word1 '))
    const { sessionId } = idsOf(stream)
    leaving.kill('SIGTERM')
    await untilStopping(leaving)
    expect(await healthOf(leaving)).toMatchObject({ connection: 'close', body: { status: 'stopping' } })
    const follower = await otherClient.streamAnswer(sessionId, { lastEventId: 1 })
    await closed
    await Promise.all([stream.ended, follower.ended])
    expect(stream.isDone).toBe(true)
    expect(stream.text()).toMatch(/^word0 .*word39/)
    expect(follower.text()).toMatch(/word39/)
    expect(await leaving.exited).toBe(0)
    expect((await otherClient.read(sessionId)).messages[1]).toMatchObject({
      content: stream.text(),
      interrupted: false,
      streaming: false,
    })
    agent.destroy()
  })

  test('an answer that takes longer than the drain time of a stopping server is saved as far as it got', async ({
    mira: { models, start },
  }) => {
    const [leaving, staying] = await Promise.all([start('web', { DRAIN_SECONDS: '2' }), start('web')])
    const token = await signIn(leaving)
    const [client, otherClient] = [await clientOf(leaving, token), await clientOf(staying, token)]
    models.next({ text: WORDS, delayMs: 2_000 })
    const stream = await client.send({ content: 'Count the words.' })
    await stream.until((one) => one.text().includes('word1 '))
    const { sessionId } = idsOf(stream)
    const follower = await otherClient.streamAnswer(sessionId)
    leaving.kill('SIGTERM')
    expect(await leaving.exited).toBe(0)
    await follower.ended
    expect(follower.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: true })
    const [, answer] = (await otherClient.read(sessionId)).messages
    expect(answer).toMatchObject({ content: follower.text(), interrupted: true, streaming: false })
    expect(answer?.content).toMatch(/^word0 word1 /)
    // Regenerating gives a complete answer.
    models.next({ text: WORDS })
    const again = await otherClient.regenerate(sessionId, answer?.id ?? '')
    await again.ended
    expect(again.text()).toMatch(/^word0 .*word39/)
  })

  test('a second signal stops a server without waiting', async ({ mira: { models, start } }) => {
    const web = await start('web', { DRAIN_SECONDS: '3600' })
    const client = await clientOf(web)
    models.next({ text: WORDS, delayMs: 10_000 })
    const stream = await client.send({ content: 'Count the words.' })
    await stream.until((one) => one.text().includes('word0'))
    web.kill('SIGTERM')
    await untilStopping(web)
    web.kill('SIGTERM')
    expect(await web.exited).toBe(0)
  })

  test('a stopping worker returns unfinished jobs to the queue without counting an attempt, and another worker completes them', async ({
    mira: { instance, models, start },
  }) => {
    const web = await start('web', { VISION_MODEL: 'test-model' })
    const client = await clientOf(web)
    const worker = await start('worker', { DRAIN_SECONDS: '1', VISION_MODEL: 'test-model' })
    models.captions = { failure: 'hang' }
    const form = new FormData()
    const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    form.append('wait', '0')
    form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'red.png')
    const uploaded = await fetch(`${web.address}/api/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await signIn(web)}` },
      body: form,
    })
    const { id } = (await uploaded.json()) as { id: string }
    await vi.waitFor(
      () => expect(models.requests.some(({ body }) => JSON.stringify(body).includes('image_url'))).toBe(true),
      60_000,
    )
    worker.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    const database = new pg.Client({ connectionString: instance.environment.DATABASE_URL })
    await database.connect()
    const { rows } = await database.query(
      `SELECT state, retry_count FROM pgboss.job WHERE name LIKE 'process%media' AND state <> 'completed'`,
    )
    await database.end()
    for (const row of rows) expect(row).toMatchObject({ state: expect.stringMatching(/created|retry/), retry_count: 0 })
    expect(rows.length).toBeGreaterThan(0)
    models.captions = {}
    await start('worker', { VISION_MODEL: 'test-model' })
    await untilCompleted(client, id)
  })

  test('an older server keeps working after a newer one has migrated the database, but can’t start again', async ({
    mira: { instance, models, servers, start },
  }) => {
    const [web, worker] = await Promise.all([start('web'), start('worker')])
    const client = await clientOf(web)
    await untilCompleted(client, await addNote(client, 'before the update'))
    const database = new pg.Client({ connectionString: instance.environment.DATABASE_URL })
    await database.connect()
    // New columns in the most used tables, as a newer version would add them.
    for (const table of ['users', 'media_items', 'moments', 'chat_sessions', 'chat_messages', 'activities', 'settings'])
      await database.query(`ALTER TABLE ${table} ADD COLUMN newer text NOT NULL DEFAULT 'newer'`)
    await database.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101000000_newer', now())`,
    )
    await database.end()

    await untilCompleted(client, await addNote(client, 'after the update'))
    models.next({ text: WORDS })
    const stream = await client.send({ content: 'Count the words.' })
    await stream.ended
    expect(stream.text()).toMatch(/^word0 .*word39/)
    const search = await client.call('GET', '/media/search?query=update')
    expect(search.status).toBe(200)
    expect(await signIn(web)).toEqual(expect.any(String))
    expect(web.output() + worker.output()).not.toMatch(/cached plan|"level":50/)

    const late = startProcess('server.ts', { ...instance.environment, ROLE: 'web', LOG_LEVEL: 'error' })
    servers.push(late)
    expect(await late.exited).toBe(1)
    expect(late.output()).toMatch(/^Mira cannot start\. The database was used by a newer version of Mira/)
  })
})
