import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { startTestServer, type TestServer } from './support/server.ts'

const root = path.join(import.meta.dirname, '..')
const pictures = path.join(root, 'docs/pictures')

let server: TestServer
let folder: string

test.beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mira-examples-'))
  server = await startTestServer()
})
test.afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** What a page of the documentation has in blocks of a language, in its order. */
async function examples(page: string, language: string): Promise<string[]> {
  const text = await readFile(path.join(root, 'docs', page), 'utf8')
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block]) => block ?? '',
  )
  expect(found, `${page} has examples`).not.toEqual([])
  return found
}

interface Ended {
  code: number
  output: string
}

/** Runs a script as somebody would who pastes it, but that an answer of 4xx or 5xx ends it. */
function run(command: string, args: string[], { input = '', environment = {} } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd: folder, env: { ...process.env, ...environment }, timeout: 120_000 },
      (error, output, notes) => resolve({ code: error === null ? 0 : 1, output: output + notes }),
    )
    child.stdin?.end(input)
  })
}

const STRICT = `set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@" && echo; }\n`

async function makeToken(scopes: string[]): Promise<string> {
  const body = { name: 'for the examples', scopes }
  const { token } = await server.call<{ token: string }>('POST', '/auth/tokens', { token: server.admin.token, body })
  return token
}

test('the commands for scripts run one after the other in one shell', async () => {
  // two pictures are read, at the lowest priority of the machine
  test.slow()
  const [script = ''] = await examples('api.md', 'sh')
  for (const name of ['letter.jpg', 'photo.jpg'])
    await copyFile(path.join(pictures, 'gallery.png'), path.join(folder, name))
  const here = script.replace('http://127.0.0.1:3000', server.url)
  expect(here, 'the address stands in it').not.toBe(script)
  const { code, output } = await run('bash', ['-c', STRICT + here], { input: `${server.admin.password}\n` })
  expect(output).not.toContain('"detail"')
  expect(code, output.slice(-2000)).toBe(0)
  expect(output).toContain('"token":"mira_')
  expect(output).toContain('data: [DONE]')
  expect(output).toContain('"processing_status":"completed"')
  expect(output).toContain('"success":true')
  expect(output).toMatch(/"output":"[^"]*12/)
})

test('the commands for other programs run with a token', async () => {
  const environment = { MIRA: server.url, TOKEN: await makeToken(['read', 'write', 'chat']) }
  for (const script of await examples('programs.md', 'sh')) {
    const { code, output } = await run('bash', ['-c', STRICT + script], { environment })
    expect(code, `${script}\n${output}`).toBe(0)
  }
  for (const settings of await examples('programs.md', 'json')) expect(() => JSON.parse(settings)).not.toThrow()
})

test('the MCP Inspector lists the tools, finds nothing wrong with them, and calls one', async () => {
  test.skip(process.env.MCP_INSPECTOR !== 'on', 'it is fetched from the registry: set MCP_INSPECTOR=on')
  test.slow()
  const environment = { MIRA: server.url, TOKEN: await makeToken(['read']) }
  const [script = ''] = await examples('programs.md', 'bash')
  const { code, output } = await run('bash', ['-c', STRICT + script], { environment })
  expect(code, output).toBe(0)
  expect(output).toContain('"name": "search_memory"')
  expect(output).toContain('"structuredContent"')
})

test('the example in TypeScript runs and prints an answer', async () => {
  const [example = ''] = await examples('programs.md', 'ts')
  // beside the packages that it imports; what is made there is never kept
  const file = path.join(root, 'apps/cli/dist/example.ts')
  await writeFile(file, example.replace('http://localhost:3000', server.url))
  server.openAi.next({ text: 'It ends in March.' })
  const environment = { TOKEN: await makeToken(['read', 'chat']) }
  const { code, output } = await run(process.execPath, [file], { environment })
  await rm(file)
  expect(output).toContain('It ends in March.')
  expect(code).toBe(0)
})
