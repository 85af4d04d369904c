import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../test/openai-server.ts'
import { type ProcessUnderTest, prepareInstance, startProcess, type TestInstance } from '../test/server-process.ts'
import { TEST_PASSWORD } from '../test/test-app.ts'

// Starts processes, one after the other.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** Simple load balancer: forwards requests to one server after the other, and to the next one when nothing listens. */
async function startBalancer(targets: string[]) {
  let nextTarget = 0
  const server = createServer((request, response) => {
    const body: Buffer[] = []
    request.on('data', (part: Buffer) => body.push(part))
    request.on('end', () => forward(targets.length))
    const forward = (triesLeft: number) => {
      const target = targets[nextTarget++ % targets.length] ?? ''
      const { method, url, headers } = request
      const forwarded = sendRequest(new URL(url ?? '/', target), { method, headers, agent: false }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers)
        upstream.pipe(response)
        upstream.on('aborted', () => response.destroy())
      })
      forwarded.on('error', () => {
        if (response.headersSent) response.destroy()
        else if (triesLeft > 1) forward(triesLeft - 1)
        else response.writeHead(502).end()
      })
      forwarded.end(Buffer.concat(body))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

// The embedded database belongs to a single process.
describe.runIf(process.env.TEST_DATABASE_URL !== undefined)('two servers behind a load balancer', () => {
  let instance: TestInstance
  let models: OpenAiServer
  let servers: ProcessUnderTest[]
  let addresses: string[]
  let balancer: Awaited<ReturnType<typeof startBalancer>>
  let session: string
  let token: string

  beforeAll(async () => {
    instance = await prepareInstance()
    models = await startOpenAiServer()
    const environment = {
      ...instance.environment,
      ADMIN_PASSWORD: TEST_PASSWORD,
      OPENAI_BASE_URL: models.baseUrl,
      OPENAI_API_KEY: 'test-key',
      CHAT_MODEL: 'test-model',
    }
    servers = []
    addresses = []
    for (let count = 0; count < 2; count += 1) {
      const processUnderTest = startProcess('server.ts', environment)
      servers.push(processUnderTest)
      addresses.push(await processUnderTest.ready)
    }
    balancer = await startBalancer(addresses)
    const signIn = await fetch(`${balancer.url}/api/auth/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'admin', password: TEST_PASSWORD }),
    })
    session = ((await signIn.json()) as { access_token: string }).access_token
    const response = await fetch(`${balancer.url}/api/auth/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'through the balancer', scopes: ['read', 'write', 'chat', 'upload'] }),
    })
    token = ((await response.json()) as { token: string }).token
  })
  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL')
    await Promise.all(servers.map(({ exited }) => exited))
    balancer.server.closeAllConnections()
    balancer.server.close()
    await models.close()
    await instance.remove()
  })

  /** Sends a request to one server, with the balancer as its host. */
  async function requestFrom(
    server: 0 | 1,
    path: string,
    options: { headers?: Record<string, string>; form?: Record<string, string>; json?: object } = {},
  ) {
    const { form, json } = options
    const body = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json)
    const headers = {
      host: new URL(balancer.url).host,
      ...(body ? { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' } : {}),
      ...options.headers,
    }
    const request = sendRequest(new URL(path, addresses[server]), {
      method: body ? 'POST' : 'GET',
      headers,
      agent: false,
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    for await (const part of response.setEncoding('utf8')) text += part
    const isJson = response.headers['content-type']?.includes('json') && text !== ''
    return { status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(text) : null }
  }

  test('a program authorised on one server gets its tokens from the other, and both accept, refresh and revoke them', async () => {
    const redirectUri = 'http://127.0.0.1:4567/callback'
    const verifier = randomBytes(32).toString('base64url')
    const registered = await requestFrom(0, '/oauth/register', {
      json: { client_name: 'Notebook', redirect_uris: [redirectUri] },
    })
    const client_id = registered.body.client_id as string
    const resource = `${balancer.url}/mcp`
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      state: 's',
      scope: 'read upload',
      resource,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const consentScreen = await requestFrom(1, `/oauth/authorize?${parameters}`)
    const query = Object.fromEntries(new URL(consentScreen.headers.location ?? '', balancer.url).searchParams)
    const consent = await requestFrom(0, '/api/oauth/consent', {
      headers: { authorization: `Bearer ${session}` },
      json: { ...query, agreed: true, scopes: ['read', 'upload'] },
    })
    const code = new URL(consent.body.redirect_to as string).searchParams.get('code') ?? ''
    const tokensAt = (server: 0 | 1, form: Record<string, string>) =>
      requestFrom(server, '/oauth/token', { form: { client_id, resource, ...form } })
    const first = await tokensAt(1, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    expect(first.status).toBe(200)
    const statuses = (access: string) =>
      Promise.all(
        ([0, 1] as const).map(async (server) => {
          const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
          const headers = { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' }
          return (await requestFrom(server, '/mcp', { headers, json: list })).status
        }),
      )
    expect(await statuses(first.body.access_token)).toEqual([200, 200])

    const refresh = (server: 0 | 1, refresh_token: string) =>
      tokensAt(server, { grant_type: 'refresh_token', refresh_token })
    const second = await refresh(0, first.body.refresh_token)
    const third = await refresh(1, second.body.refresh_token)
    expect([second.status, third.status]).toEqual([200, 200])
    expect(await statuses(third.body.access_token)).toEqual([200, 200])
    // Another window of the program may have refreshed a moment ago, on the other server.
    expect((await refresh(0, second.body.refresh_token)).status).toBe(200)
    await requestFrom(0, '/oauth/revoke', { form: { client_id, token: third.body.refresh_token } })
    expect(await statuses(third.body.access_token)).toEqual([401, 401])
  })

  test('either server responds to MCP and /v1 clients, and losing one breaks only its own streams', async () => {
    const connect = async (address: string) => {
      const connected = new Client({ name: 'balanced', version: '1.0.0' })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await connected.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit }))
      return connected
    }
    const client = await connect(balancer.url)
    const addNote = async (title: string) =>
      client.callTool({ name: 'add_note', arguments: { title, text: `Written down as ${title}.` } })
    for (let count = 0; count < 4; count += 1)
      expect(await addNote(`note ${count}`)).not.toHaveProperty('isError', true)

    const words = { text: Array.from({ length: 40 }, (_, index) => `word${index} `), delayMs: 100 }
    const streamFrom = async (baseURL: string) => {
      models.next(words)
      const openAi = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: token, maxRetries: 0 })
      return openAi.chat.completions.create({
        model: 'mira',
        messages: [{ role: 'user', content: 'Count the words.' }],
        stream: true,
      })
    }
    const read = async (stream: Awaited<ReturnType<typeof streamFrom>>, onText: () => void) => {
      let text = ''
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? ''
        if (text !== '') onText()
      }
      return text
    }
    const brokenStream = await streamFrom(addresses[0] ?? '')
    const openStream = await streamFrom(addresses[1] ?? '')
    const fullText = read(openStream, () => {})
    const otherClient = await connect(addresses[1] ?? '')
    models.next(words)
    const call = otherClient.callTool({ name: 'ask', arguments: { question: 'Count the words.' } })
    await expect.poll(() => models.chats().length, { timeout: 30_000 }).toBe(3)
    await expect(read(brokenStream, () => servers[0]?.kill('SIGKILL'))).rejects.toThrow()
    expect(await fullText).toMatch(/^word0 .*word39/)
    expect((await call).structuredContent).toMatchObject({ answer: expect.stringMatching(/^word0 .*word39/) })
    await otherClient.close()

    for (let count = 4; count < 8; count += 1)
      expect(await addNote(`note ${count}`)).not.toHaveProperty('isError', true)
    expect(await read(await streamFrom(balancer.url), () => {})).toMatch(/^word0 .*word39/)
    const listed = await client.callTool({ name: 'list_items', arguments: { limit: 20 } })
    for (let count = 0; count < 8; count += 1) expect(JSON.stringify(listed)).toContain(`note ${count}`)
    await client.close()
  })
})
