import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { McpServerJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const UNUSED_URL = 'http://127.0.0.1:9/mcp'

let mira: TestApp
beforeAll(async () => {
  // how long a server that doesn't speak MCP is waited for
  mira = await startTestApp({ environment: { FETCH_ALLOWED_HOSTS: '127.0.0.1' }, mcpLimits: { listMs: 1_000 } })
})
afterAll(() => mira.close())

const call = (method: 'post' | 'patch', path: string, body: object, app = mira) =>
  app.request[method](`/api/admin/mcp-servers${path}`).auth(app.admin.token, { type: 'bearer' }).send(body)

describe('an invalid server', () => {
  /** Starts a server whose responses aren't MCP. */
  async function startPlainServer(body: string, type = 'application/json') {
    const http = createServer((_request, response) => response.writeHead(200, { 'content-type': type }).end(body))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`, close: () => http.close() }
  }

  test.each([
    ['that returns a web page', '<html></html>', 'text/html'],
    ['that returns broken JSON', '{"jsonrpc":', 'application/json'],
    ['whose list of tools isn’t an array', '{"jsonrpc":"2.0","id":0,"result":{"tools":7}}', 'application/json'],
  ])('%s fails its check', async (_name, body, type) => {
    const other = await startPlainServer(body, type)
    const fields = { name: 'Boxes', url: other.url, audience: 'everyone' }
    const server = (await call('post', '', fields).expect(201)).body as McpServerJson
    expect(server.check.state).toBe('error')
    expect(server.check.reason).toContain('Boxes')
    expect(server.tools).toEqual([])
    other.close()
  })

  test('is rejected: a cloud’s metadata service, a program where none may be started, and both or neither', async () => {
    const forbidden = await call('post', '', { name: 'Cloud', url: 'http://169.254.169.254/mcp' }).expect(422)
    expect(forbidden.body.code).toBe('address_forbidden')
    const program = await call('post', '', { name: 'Program', command: process.execPath }).expect(403)
    expect(program.body.code).toBe('mcp_stdio_off')
    await call('post', '', { name: 'Neither' }).expect(422)
    await call('post', '', { name: 'Both', url: UNUSED_URL, command: 'true' }).expect(422)
  })
})

test('with MCP_STDIO on, a program can be a server, which only sees its own environment variables', async () => {
  const other = await startTestApp({ environment: { MCP_STDIO: 'on' } })
  const program = join(import.meta.dirname, '../../../../test/mcp-program.ts')
  const body = { name: 'Program', command: process.execPath, arguments: [program], headers: { TOKEN: 'abc' } }
  const server = (await call('post', '', body, other).expect(201)).body as McpServerJson
  expect(server).toMatchObject({ transport: 'stdio', check: { state: 'ok' }, tools: [{ name: 'variables' }] })
  const tool = other.context.mcpServers.connected.toolsFor(other.admin.user.id)[0]!
  await expect(tool.run('{}', { userId: other.admin.user.id })).resolves.toMatchObject({
    output: 'TOKEN=abc JWT_SECRET=',
  })
  // someone using a session left open can't add or change programs
  await other.context.database.prisma.authSession.updateMany({
    data: { createdAt: new Date(Date.now() - 11 * 60_000) },
  })
  const codeOf = async (method: 'post' | 'patch', path: string, fields: object) =>
    (await call(method, path, fields, other)).body.code
  expect(await codeOf('post', '', body)).toBe('confirmation_required')
  for (const change of [{ command: 'true' }, { arguments: ['-e', '1'] }, { headers: { NODE_OPTIONS: '--x' } }]) {
    expect(await codeOf('patch', `/${server.id}`, change)).toBe('confirmation_required')
  }
  expect(await codeOf('post', '', { ...body, current_password: 'wrong' })).toBe('wrong_password')
  await call('patch', `/${server.id}`, { enabled: false, name: 'Still a program' }, other).expect(200)
  const missing = { name: 'Missing', command: '/nowhere/at/all', current_password: other.admin.password }
  expect((await call('post', '', missing, other).expect(201)).body.check).toMatchObject({ state: 'error' })
  await other.close()
})
