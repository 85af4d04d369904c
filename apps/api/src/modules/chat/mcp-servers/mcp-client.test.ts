import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createMcpClient, type McpPlace } from './mcp-client.ts'

interface Asked {
  id?: number
  method: string
  params?: { cursor?: string; name?: string; arguments?: unknown }
}

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const look = { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } }

/** Results of a server, by method; null where it answers nothing. */
function answerOf({ id, method, params }: Asked, tools: unknown[]): object | null {
  if (id === undefined) return null
  const pages = params?.cursor === 'next' ? { tools: tools.slice(2) } : { tools: tools.slice(0, 2), nextCursor: 'next' }
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': pages,
    'tools/call': { content: [{ type: 'text', text: `called ${params?.name}` }] },
  }
  const result = results[method]
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
    : { jsonrpc: '2.0', id, result }
}

/** Starts a server that speaks HTTP with SSE alone, Streamable HTTP alone, or neither. */
async function start(kind: 'sse' | 'streamable' | 'neither', tools: unknown[] = [look]): Promise<McpPlace> {
  let stream: ServerResponse | undefined
  const http = createServer((request, response) => {
    const isPost = request.method === 'POST'
    if (kind === 'sse' && request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages?session=1\n\n')
    } else if (isPost && kind === 'streamable') {
      void json(request).then((body) => {
        const answer = answerOf(body as Asked, tools)
        response.writeHead(answer === null ? 202 : 200, { 'content-type': 'application/json' })
        response.end(answer === null ? '' : JSON.stringify(answer))
      })
    } else if (isPost && kind === 'sse' && request.url?.startsWith('/messages')) {
      void json(request).then((body) => {
        response.writeHead(202).end()
        const answer = answerOf(body as Asked, tools)
        if (answer !== null) stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
      })
    } else response.writeHead(405, { 'content-type': 'text/plain' }).end('Method Not Allowed')
  })
  server = http
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`
  return { name: 'Boxes', transport: 'http', url, headers: {} }
}

const client = createMcpClient({ fetch, version: '1', limits: { listMs: 10_000, callMs: 10_000 } })

test('a server that speaks HTTP with SSE alone is connected, and its tools are called', async () => {
  const place = await start('sse')
  expect((await client.listTools(place)).map(({ name }) => name)).toEqual(['look'])
  expect(await client.callTool(place, 'look', {})).toEqual({ text: 'called look', isError: false })
})

test('one that speaks neither way is told to do so', async () => {
  const place = await start('neither')
  await expect(client.listTools(place)).rejects.toThrow('neither Streamable HTTP nor HTTP with SSE')
})

test('a tool without a schema, or with a strange one, is listed; one that is none is left out alone', async () => {
  const schemas = [undefined, null, {}, { type: ['object', 'null'] }, { anyOf: [{ type: 'object' }] }, 'text']
  const strange = schemas.map((inputSchema, index) => ({
    name: `strange ${index}.of`,
    inputSchema,
    annotations: 'none',
  }))
  const draft4 = { id: 'x', type: 'object', properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } } }
  const tools = [
    look,
    null,
    look,
    ...strange,
    { name: '' },
    { name: 'x'.repeat(200) },
    { ...look, name: 'old', inputSchema: draft4 },
  ]
  const listed = await client.listTools(await start('streamable', tools))
  expect(listed.map(({ name }) => name)).toEqual(['look', ...strange.map(({ name }) => name), 'old'])
  expect(listed.every(({ parameters }) => typeof parameters === 'object' && parameters !== null)).toBe(true)
})
