import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OllamaPullEvent } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

/** Requests received by the stand-in for Ollama's documented API. */
const requests: { method: string; path: string; body: unknown; authorization: string | undefined }[] = []
let storedModels = [{ name: 'small:1b', size: 1_300_000_000 }]
let pull: (response: ServerResponse) => void
const lines = (response: ServerResponse, ...messages: object[]) => {
  for (const message of messages) response.write(`${JSON.stringify(message)}\n`)
}
const handle = async (request: IncomingMessage, response: ServerResponse) => {
  let text = ''
  for await (const part of request) text += part
  const body = text === '' ? null : JSON.parse(text)
  const { method = '', url: path = '', headers } = request
  requests.push({ method, path, body, authorization: headers.authorization })
  const json = (value: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (path === '/v1/models') return json({ object: 'list', data: storedModels.map(({ name }) => ({ id: name })) })
  if (path === '/api/version') return json({ version: '0.12.3' })
  if (path === '/api/tags') return json({ models: storedModels })
  if (path === '/api/pull') return pull(response.writeHead(200, { 'content-type': 'application/x-ndjson' }))
  if (path !== '/api/delete') return json({ error: 'not found' }, 404)
  const exists = storedModels.some(({ name }) => name === body.model)
  storedModels = storedModels.filter(({ name }) => name !== body.model)
  return response.writeHead(exists ? 200 : 404).end()
}
const ollama = createServer((request, response) => void handle(request, response))

let mira: TestApp
let admin: TestAccount
let id: string
beforeAll(async () => {
  await new Promise<void>((resolve) => ollama.listen(0, '127.0.0.1', resolve))
  mira = await startTestApp({})
  admin = await mira.createUser({ role: 'admin' })
  const base_url = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}/v1`
  id = (await call('post', '', { name: 'Ollama', base_url, api_key: 'sealed-key' }).expect(201)).body.id
})
afterAll(async () => {
  await mira.close()
  ollama.closeAllConnections()
  ollama.close()
})
beforeEach(() => {
  requests.length = 0
  storedModels = [{ name: 'small:1b', size: 1_300_000_000 }]
})

const call = (method: 'get' | 'post', path: string, body?: object, { token } = admin) => {
  const request = mira.request[method](`/api/admin/connections${path}`).auth(token, { type: 'bearer' })
  return body === undefined ? request : request.send(body)
}
const pullEventsOf = async (model: string): Promise<OllamaPullEvent[]> => {
  const { text } = await call('post', `/${id}/ollama/pull`, { model }).expect(200)
  const data = text.split('\n').flatMap((line: string) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  expect(data.at(-1)).toBe('[DONE]')
  return data.slice(0, -1).map((one: string) => JSON.parse(one))
}

test('lists the models stored by a connected Ollama; another server has neither version nor models', async () => {
  const { body } = await call('get', `/${id}/ollama`).expect(200)
  expect(body).toEqual({ version: '0.12.3', models: [{ name: 'small:1b', size_bytes: 1_300_000_000 }] })
  expect(requests[0]).toMatchObject({ path: '/api/version', authorization: 'Bearer sealed-key' })
  const unreachable = await call('post', '', { name: 'Nobody', base_url: 'http://127.0.0.1:9/v1' }).expect(201)
  expect((await call('get', `/${unreachable.body.id}/ollama`).expect(200)).body).toEqual({ version: null, models: [] })
})

test('pulls a model with progress, after which it can be chosen', async () => {
  pull = (response) => {
    lines(response, { status: 'pulling manifest' }, { status: 'pulling a', digest: 'a', total: 900, completed: 300 })
    storedModels = [...storedModels, { name: 'large:8b', size: 1000 }]
    lines(response, { status: 'pulling a', digest: 'a', total: 900, completed: 900 })
    lines(response, { status: 'pulling b', digest: 'b', total: 100, completed: 100 }, { status: 'success' })
    response.end()
  }
  const events = await pullEventsOf('large:8b')
  expect(events[0]).toEqual({ state: 'pulling', completed_bytes: 300, total_bytes: 900 })
  expect(events.at(-2)).toEqual({ state: 'pulling', completed_bytes: 1000, total_bytes: 1000 })
  expect(events.at(-1)).toEqual({ state: 'done' })
  expect(requests.find(({ path }) => path === '/api/pull')?.body).toEqual({ model: 'large:8b', stream: true })
  const models = await mira.request.get('/api/models').auth(admin.token, { type: 'bearer' }).expect(200)
  expect(models.body.map((model: { id: string }) => model.id)).toContain('large:8b')
})

test('reports errors, and treats a broken stream as a failure', async () => {
  pull = (response) => {
    lines(response, { error: 'pull model manifest: file does not exist' })
    response.end()
  }
  expect(await pullEventsOf('nothing')).toEqual([
    { state: 'failed', detail: 'Ollama reported an error: pull model manifest: file does not exist.' },
  ])
  pull = (response) => {
    lines(response, { status: 'pulling a', digest: 'a', total: 900, completed: 300 })
    response.end()
  }
  expect((await pullEventsOf('half')).at(-1)).toMatchObject({ state: 'failed' })
  await call('post', `/${id}/ollama/pull`, { model: '../../etc passwd' }).expect(422)
})

test('removes a model, and gives 404 for a missing one; other users get 403', async () => {
  await call('post', `/${id}/ollama/remove`, { model: 'small:1b' }).expect(204)
  expect(requests.find(({ path }) => path === '/api/delete')).toMatchObject({
    method: 'DELETE',
    body: { model: 'small:1b' },
  })
  await call('post', `/${id}/ollama/remove`, { model: 'small:1b' }).expect(404)
  const ben = await mira.createUser({})
  await call('get', `/${id}/ollama`, undefined, ben).expect(403)
  await call('post', `/${id}/ollama/pull`, { model: 'x' }, ben).expect(403)
})
