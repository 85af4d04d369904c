import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createMcpClient, type McpConnection } from './mcp-client.ts'

interface RpcRequest {
  id?: number
  method: string
  params?: { cursor?: string; name?: string; arguments?: object }
}

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const look = { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } }

/** Response of the fake server to an RPC request; null for a notification. */
function responseTo({ id, method, params }: RpcRequest, tools: unknown[]): object | null {
  if (id === undefined) return null
  const pages = params?.cursor === 'next' ? { tools: tools.slice(2) } : { tools: tools.slice(0, 2), nextCursor: 'next' }
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': pages,
    // A call may name the result.
    'tools/call': { content: [{ type: 'text', text: `called ${params?.name}` }], ...params?.arguments },
  }
  const result = results[method]
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
    : { jsonrpc: '2.0', id, result }
}

/** Number of requests by method, for the fake servers that count them. */
const counts: Record<string, number> = {}
const count = (method: string) => {
  counts[method] = (counts[method] ?? 0) + 1
  return counts[method]
}

/**
 * Starts a fake server that only speaks HTTP with SSE, only Streamable HTTP, or neither; that loses its first session, or
 * every session; that announces changed tools along with a result; that ends the stream before the result (`polled`); or
 * that ends every notification stream immediately during a slow call (`restless`).
 */
async function start(
  kind: 'sse' | 'streamable' | 'neither' | 'forgets one' | 'forgets all' | 'changes' | 'polled' | 'restless',
  tools: unknown[] = [look],
): Promise<McpConnection> {
  let stream: ServerResponse | undefined
  let delayedResponse = ''
  for (const method of Object.keys(counts)) delete counts[method]
  const http = createServer((request, response) => {
    const isPost = request.method === 'POST'
    if (kind === 'sse' && request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages?session=1\n\n')
    } else if (kind === 'restless' && request.method === 'GET') {
      count('stream')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n')
    } else if (isPost && kind === 'streamable') {
      void json(request).then((body) => {
        const rpcResponse = responseTo(body as RpcRequest, tools)
        response.writeHead(rpcResponse === null ? 202 : 200, { 'content-type': 'application/json' })
        response.end(rpcResponse === null ? '' : JSON.stringify(rpcResponse))
      })
    } else if (kind === 'polled' && request.headers['last-event-id'] === 'call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`id: done\ndata: ${delayedResponse}\n\n`)
    } else if (isPost && kind !== 'sse' && kind !== 'neither') {
      void json(request).then((body) => {
        const rpcRequest = body as RpcRequest
        const isSessionLost =
          kind === 'forgets all' || (kind === 'forgets one' && count(`session ${rpcRequest.method}`) === 1)
        if (rpcRequest.id !== undefined && rpcRequest.method !== 'initialize' && isSessionLost) {
          response.writeHead(404).end('Session not found')
          return
        }
        if (rpcRequest.method === 'initialize') response.setHeader('mcp-session-id', `session-${count('initialize')}`)
        const rpcResponse = JSON.stringify(responseTo(rpcRequest, tools))
        if (rpcRequest.method === 'tools/call' && kind === 'polled') {
          delayedResponse = rpcResponse
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.end('id: call\nretry: 10\ndata: \n\n')
        } else if (rpcRequest.method === 'tools/call' && kind === 'changes') {
          const changed = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.end(`event: message\ndata: ${changed}\n\nevent: message\ndata: ${rpcResponse}\n\n`)
        } else if (rpcRequest.method === 'tools/call' && kind === 'restless') {
          setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(rpcResponse), 2000)
        } else
          response
            .writeHead(rpcRequest.id === undefined ? 202 : 200, { 'content-type': 'application/json' })
            .end(rpcRequest.id === undefined ? '' : rpcResponse)
      })
    } else if (isPost && kind === 'sse' && request.url?.startsWith('/messages')) {
      void json(request).then((body) => {
        response.writeHead(202).end()
        const rpcResponse = responseTo(body as RpcRequest, tools)
        if (rpcResponse !== null) stream?.write(`event: message\ndata: ${JSON.stringify(rpcResponse)}\n\n`)
      })
    } else response.writeHead(405, { 'content-type': 'text/plain' }).end('Method Not Allowed')
  })
  server = http
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`
  return { name: 'Boxes', transport: 'http', url, headers: {} }
}

const client = createMcpClient({ fetch, version: '1', limits: { listMs: 10_000, callMs: 10_000 } })

test('a server that only speaks HTTP with SSE is connected, and its tools are called', async () => {
  const connection = await start('sse')
  expect((await client.listTools(connection)).map(({ name }) => name)).toEqual(['look'])
  expect(await client.callTool(connection, 'look', {})).toEqual({
    text: 'called look',
    isError: false,
    haveToolsChanged: false,
  })
})

test('a server that speaks neither transport is reported', async () => {
  const connection = await start('neither')
  await expect(client.listTools(connection)).rejects.toThrow('neither Streamable HTTP nor HTTP with SSE')
})

test('a session lost by the server is restarted once', async () => {
  const connection = await start('forgets one')
  expect(await client.callTool(connection, 'look', {})).toMatchObject({ text: 'called look' })
  expect(counts.initialize).toBe(2)
  await expect(client.callTool(await start('forgets all'), 'look', {})).rejects.toMatchObject({ code: 'mcp_broken' })
  expect(counts.initialize).toBe(2)
})

test('a change of tools announced along with a result is noticed', async () => {
  expect(await client.callTool(await start('changes'), 'look', {})).toEqual({
    text: 'called look',
    isError: false,
    haveToolsChanged: true,
  })
})

test('a stream that the server ends before the result is resumed', async () => {
  expect(await client.callTool(await start('polled'), 'look', {})).toMatchObject({ text: 'called look' })
})

test('a server that ends its streams immediately and requests no delay isn’t called in a loop', async () => {
  expect(await client.callTool(await start('restless'), 'look', {})).toMatchObject({ text: 'called look' })
  expect(counts.stream).toBeGreaterThan(1)
  expect(counts.stream).toBeLessThan(5)
})

test('data beside a sentence reaches the model, once, and a picture is said not to be shown', async () => {
  const connection = await start('streamable')
  const textOf = async (result: Record<string, unknown>) => (await client.callTool(connection, 'look', result)).text
  const structuredContent = { boxes: [{ name: 'red', size: 2 }] }
  const text = (value: string) => ({ type: 'text', text: value })
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  expect(await textOf({ content: [text('One box.')], structuredContent })).toBe(
    `One box.\n\n${JSON.stringify(structuredContent)}`,
  )
  expect(await textOf({ content: [image], structuredContent })).toMatch(/^\(image: it can't be shown.*\{"boxes"/s)
  const sameText = '{ "boxes": [{ "size": 2, "name": "red" }] }'
  expect(await textOf({ content: [text('One box.'), text(sameText)], structuredContent })).toBe(
    `One box.\n\n${sameText}`,
  )
  expect(await textOf({ content: [], structuredContent })).toBe(JSON.stringify(structuredContent))
})

test('tools beyond the usual number are listed, and those with a large schema without it', async () => {
  const inputSchema = { type: 'object', description: 'x'.repeat(30_000) }
  const tools = Array.from({ length: 100 }, (_, index) => ({ ...look, name: `look ${index}` }))
  const listedTools = await client.listTools(
    await start('streamable', [...tools, { ...look, name: 'huge', inputSchema }]),
  )
  expect(listedTools.map(({ name }) => name)).toEqual([...tools.map(({ name }) => name), 'huge'])
  expect(listedTools.filter(({ isTooLarge }) => isTooLarge)).toMatchObject([
    { name: 'huge', parameters: { type: 'object', properties: {} } },
  ])
})

test('tools with a missing or unusual schema are listed, and only invalid ones are left out', async () => {
  const schemas = [undefined, null, {}, { type: ['object', 'null'] }, { anyOf: [{ type: 'object' }] }, 'text']
  const unusualTools = schemas.map((inputSchema, index) => ({
    name: `strange ${index}.of`,
    inputSchema,
    annotations: 'none',
  }))
  const draft4 = { id: 'x', type: 'object', properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } } }
  const tools = [
    look,
    null,
    look,
    ...unusualTools,
    { name: '' },
    { name: 'x'.repeat(200) },
    { ...look, name: 'old', inputSchema: draft4 },
  ]
  const listedTools = await client.listTools(await start('streamable', tools))
  expect(listedTools.map(({ name }) => name)).toEqual(['look', ...unusualTools.map(({ name }) => name), 'old'])
  expect(listedTools.every(({ parameters }) => typeof parameters === 'object' && parameters !== null)).toBe(true)
})
