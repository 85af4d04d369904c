import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { type McpCalls, mcpCallsOf } from '../../../../test/mcp-calls.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let mcp: McpCalls
let url: string
let stallingServer: Awaited<ReturnType<typeof startStallingServer>>

/** Server that sends one file and never finishes any other. */
async function startStallingServer() {
  const open = new Set<ServerResponse>()
  let startedCount = 0
  const files = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    if (request.url === '/file') return void response.end('The key lies under the mat.')
    startedCount++
    open.add(response)
    response.once('close', () => open.delete(response)).write('x'.repeat(100_000))
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(files.address() as AddressInfo).port}`
  return { files, host, open, startedCount: () => startedCount }
}

beforeAll(async () => {
  stallingServer = await startStallingServer()
  server = await startTestApp({ environment: { FETCH_ALLOWED_HOSTS: stallingServer.host } })
  url = await listen(server.app)
})
beforeEach(async () => {
  mcp = mcpCallsOf({ mira: server, url, account: await server.createUser({ can_upload: true }) })
})
afterAll(async () => {
  await server.close()
  stallingServer.files.close()
})

describe('a program that adds many files by URL at once', () => {
  const addFile = (id: number, path: string) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'add_file', arguments: { name: `file-${id}.txt`, url: `http://${stallingServer.host}/${path}` } },
  })

  test('downloads four at a time, without holding up another user', async () => {
    const [token, another] = [
      await mcp.tokenWith(['read', 'upload']),
      await mcp.tokenWith(['read', 'upload'], await server.createUser({ can_upload: true })),
    ]
    const batch = Array.from({ length: 20 }, (_, id) => addFile(id, 'stalls'))
    const controller = new AbortController()
    const startedBefore = stallingServer.startedCount()
    const flood = mcp.post(batch, token, {}, controller.signal).catch(() => null)
    await expect.poll(() => stallingServer.open.size).toBe(4)
    const otherResponse = await mcp.post(addFile(1, 'file'), another, { accept: 'application/json' })
    expect(await otherResponse.json()).toMatchObject({ result: { structuredContent: { is_new: true } } })
    // none was aborted to make way for the next
    expect([stallingServer.open.size, stallingServer.startedCount() - startedBefore]).toEqual([4, 4])
    controller.abort()
    await flood
    await expect.poll(() => stallingServer.open.size).toBe(0)
  })

  test('can send at most twenty messages in one request', async () => {
    const token = await mcp.tokenWith(['read', 'upload'])
    const batch = Array.from({ length: 21 }, (_, id) => addFile(id, 'file'))
    const startedBefore = stallingServer.startedCount()
    const refused = await mcp.post(batch, token, { accept: 'application/json' })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { data: { code: 'batch_too_long' } } }])
    expect(stallingServer.startedCount()).toBe(startedBefore)
    const accepted = await mcp.post(batch.slice(1), token, { accept: 'application/json' })
    expect([accepted.status, await accepted.json()]).toMatchObject([200, { length: 20 }])
  })
})
