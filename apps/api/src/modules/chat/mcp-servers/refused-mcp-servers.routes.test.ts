import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { McpServerJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const SOMEWHERE = 'http://127.0.0.1:9/mcp'

let mira: TestApp
beforeAll(async () => {
  // what answers with no MCP is waited for as long
  mira = await startTestApp({ environment: { FETCH_ALLOWED_HOSTS: '127.0.0.1' }, mcpLimits: { listMs: 1_000 } })
})
afterAll(() => mira.close())

const call = (method: 'post' | 'patch', path: string, body: object, app = mira) =>
  app.request[method](`/api/admin/mcp-servers${path}`).auth(app.admin.token, { type: 'bearer' }).send(body)

describe('what cannot be a server', () => {
  /** Something that answers with what is no MCP. */
  async function answering(body: string, type = 'application/json') {
    const http = createServer((_request, response) => response.writeHead(200, { 'content-type': type }).end(body))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`, close: () => http.close() }
  }

  test.each([
    ['a page', '<html></html>', 'text/html'],
    ['broken JSON', '{"jsonrpc":', 'application/json'],
    ['a list of no tools', '{"jsonrpc":"2.0","id":0,"result":{"tools":7}}', 'application/json'],
  ])('is %s: its check says so', async (_name, body, type) => {
    const other = await answering(body, type)
    const fields = { name: 'Boxes', url: other.url, audience: 'everyone' }
    const server = (await call('post', '', fields).expect(201)).body as McpServerJson
    expect(server.check.state).toBe('error')
    expect(server.check.reason).toContain('Boxes')
    expect(server.tools).toEqual([])
    other.close()
  })

  test('is the metadata service of a cloud, or a program where none may be started', async () => {
    const forbidden = await call('post', '', { name: 'Cloud', url: 'http://169.254.169.254/mcp' }).expect(422)
    expect(forbidden.body.code).toBe('address_forbidden')
    const program = await call('post', '', { name: 'Program', command: process.execPath }).expect(403)
    expect(program.body.code).toBe('mcp_stdio_off')
    await call('post', '', { name: 'Neither' }).expect(422)
    await call('post', '', { name: 'Both', url: SOMEWHERE, command: 'true' }).expect(422)
  })
})

test('where MCP_STDIO is on, a program is a server, which sees its own variables and none of this server’s', async () => {
  const other = await startTestApp({ environment: { MCP_STDIO: 'on' } })
  const program = join(import.meta.dirname, '../../../../test/mcp-program.ts')
  const body = { name: 'Program', command: process.execPath, arguments: [program], headers: { TOKEN: 'abc' } }
  const server = (await call('post', '', body, other).expect(201)).body as McpServerJson
  expect(server).toMatchObject({ transport: 'stdio', check: { state: 'ok' }, tools: [{ name: 'variables' }] })
  const tool = other.context.mcpServers.connected.toolsFor(other.admin.user.id)[0]!
  await expect(tool.run('{}', { userId: other.admin.user.id })).resolves.toMatchObject({
    output: 'TOKEN=abc JWT_SECRET=',
  })
  // somebody at a page left open adds and changes no program
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
