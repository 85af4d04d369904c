import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from './support/fixtures.ts'
import type { Account, TestServer } from './support/server.ts'

const root = path.join(import.meta.dirname, '..')
const program = path.join(root, 'apps/cli/bin/mira.mjs')

let server: TestServer
let owner: Account
let folder: string

test.beforeAll(async ({ server: shared }) => {
  folder = await mkdtemp(path.join(tmpdir(), 'mira-command-line-'))
  server = shared
  owner = await server.createAccount()
})
test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface ProcessResult {
  code: number
  output: string
  notes: string
}

/** Runs `mira` with a separate configuration folder and the Node.js on PATH. */
function mira(
  args: string[],
  options: { input?: string; environment?: Record<string, string> } = {},
): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const child = execFile(
      'node',
      [program, ...args],
      { cwd: folder, env: { ...process.env, MIRA_CONFIG_DIR: path.join(folder, 'config'), ...options.environment } },
      (error, output, notes) => resolve({ code: error === null ? 0 : 1, output, notes }),
    )
    child.stdin?.end(options.input ?? '')
  })
}

async function makeToken(scopes: string[]): Promise<string> {
  const body = { name: 'for the command line', scopes }
  const { token } = await server.call<{ token: string }>('POST', '/auth/tokens', { token: owner.token, body })
  return token
}

const linesOf = <Line>({ output }: ProcessResult): Line[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

test('without an account, it says how to sign in', async () => {
  const { code, notes } = await mira(['status'])
  expect({ code, notes }).toEqual({
    code: 1,
    notes: 'You’re not signed in. Run `mira login`, or set MIRA_URL and MIRA_TOKEN.\n',
  })
  expect((await mira(['serach', 'x'])).notes).toContain('Did you mean search?')
})

test('a user signs in with a token, uploads a folder, searches it, asks about it and exports everything', async () => {
  const token = await makeToken(['read', 'write', 'chat', 'upload', 'agents'])
  const signedIn = await mira(['login', server.url, '--token'], { input: `${token}\n` })
  expect(signedIn.notes).toContain(`as ${owner.user.username}`)
  const accountFile = path.join(folder, 'config/account.json')
  expect(JSON.parse(await readFile(accountFile, 'utf8'))).toEqual({ url: server.url, token })

  const papers = path.join(folder, 'papers')
  await mkdir(path.join(papers, 'letters'), { recursive: true })
  await writeFile(path.join(papers, 'lease.txt'), 'The lease of the harbour house ends on the last of March.')
  await writeFile(path.join(papers, 'letters/boiler.md'), '# Boiler\n\nThe boiler was serviced by Quentin Abernathy.')
  await copyFile(path.join(papers, 'lease.txt'), path.join(papers, 'lease again.txt'))
  await writeFile(path.join(papers, 'program.exe'), 'MZ')
  await writeFile(path.join(papers, 'broken.pdf'), 'no pdf at all, but with a name \u0000\u0001\u0002')

  const first = await mira(['upload', 'papers', '--json'])
  const outcomes = Object.fromEntries(
    linesOf<{ path: string; outcome: string }>(first).map((line) => [line.path, line.outcome]),
  )
  expect(outcomes).toMatchObject({ 'papers/broken.pdf': 'failed', 'papers/letters/boiler.md': 'added' })
  expect([outcomes['papers/lease.txt'], outcomes['papers/lease again.txt']].sort()).toEqual(['added', 'known'])
  expect(Object.keys(outcomes)).toHaveLength(4)
  expect(first.code, 'one file was rejected').toBe(1)
  expect(first.notes).toContain('2 added, 1 already there, 1 failed.')
  expect((await mira(['upload', 'papers/lease.txt'])).notes).toContain('0 added, 1 already there, 0 failed.')

  await expect(async () => {
    const { output } = await mira(['search', 'Abernathy', 'boiler'])
    expect(output).toContain('boiler.md')
    expect(output).toContain('The boiler was serviced by Quentin Abernathy.')
    expect(output).toContain(`${server.url}/gallery/`)
  }).toPass({ timeout: 30_000 })
  const responses = linesOf<{ results: { original_filename: string }[] }>(
    await mira(['search', 'harbour', 'lease', '--json']),
  )
  expect(responses[0]?.results[0]?.original_filename).toMatch(/^lease/)

  server.openAi.next({ text: 'It ends on the last of March [1].' })
  const answered = await mira(['ask', 'When does the lease of the harbour house end?'])
  expect(answered.output).toContain('It ends on the last of March [1].')
  expect(answered.output).toMatch(/\[1\] lease/)
  expect(answered.notes).toMatch(/Continue with: mira ask --session [0-9a-f-]{36}/)

  server.openAi.next({ text: ['They want it short.', '</think>', 'In March.'] })
  const reasoned = await mira(['ask', '--temporary', 'In one word?'])
  expect(reasoned.output).toMatch(/In March\.\n$/)
  expect(reasoned.notes).toContain('The text above was the model’s reasoning. Its answer:')
  // an answer without the marker resets what is now assumed about the model
  await mira(['ask', '--temporary', 'Hello'])

  const { output: status } = await mira(['status'])
  expect(status).toContain('2 items')
  await mira(['export', '-o', 'mine.zip'])
  const imported = await mira(['import', 'mine.zip', '--source', 'mira'])
  expect(imported.output, 'everything exists already').toMatch(/^(\d+) found, 0 imported, \1 already there\.\n$/)
  expect((await mira(['import', 'papers/lease.txt', '--source', 'chatgpt'])).code).toBe(1)
})

test('a file above 16 MB is uploaded, and so are new files in a watched folder', async () => {
  const environment = { MIRA_URL: server.url, MIRA_TOKEN: await makeToken(['read', 'upload']) }
  await writeFile(path.join(folder, 'long.txt'), `${'A long story of the lighthouse keeper. '.repeat(450_000)}`)
  const uploaded = await mira(['upload', 'long.txt', '--json'], { environment })
  expect(uploaded.notes).toBe('1 added, 0 already there, 0 failed.\n')
  expect(linesOf(uploaded)).toEqual([{ path: 'long.txt', outcome: 'added', id: expect.any(String) }])

  const inbox = path.join(folder, 'inbox')
  await mkdir(inbox)
  const watcher = spawn('node', [program, 'upload', inbox, '--watch'], { env: { ...process.env, ...environment } })
  const texts = readTexts(watcher)
  await expect(() => expect(texts.join('')).toContain('Waiting for files')).toPass({ timeout: 30_000 })
  await writeFile(path.join(inbox, 'note.txt'), 'Came while somebody was watching.')
  await expect(() => expect(texts.join('')).toContain(`added   ${path.join(inbox, 'note.txt')}`)).toPass({
    timeout: 30_000,
  })
  watcher.kill('SIGINT')
  expect(await once(watcher, 'exit')).toEqual([0, null])
})

test('signing in with a password creates a token, and a wrong password is rejected', async () => {
  const environment = { MIRA_CONFIG_DIR: path.join(folder, 'by password') }
  const args = ['login', server.url, '--username', owner.user.username, '--password-stdin']
  const refused = await mira(args, { input: 'wrong', environment })
  expect(refused).toMatchObject({ code: 1, notes: 'Incorrect username or password\n' })
  const { notes } = await mira(args, { input: `${owner.password}\n`, environment })
  expect(notes).toContain(`as ${owner.user.username}`)
  const status = await mira(['status'], { environment })
  expect(status.output).toContain(`signed in as ${owner.user.username}`)
  const tokens = await server.call<{ name: string }[]>('GET', '/auth/tokens', { token: owner.token })
  expect(tokens.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^mira on /))
})

test('a missing scope and an unreachable server are reported', async () => {
  const environment = { MIRA_URL: server.url, MIRA_TOKEN: await makeToken(['read']) }
  const { code, notes } = await mira(['ask', 'Hello?'], { environment })
  expect(code).toBe(1)
  expect(notes).toContain('chat')
  const unreachable = await mira(['status'], { environment: { ...environment, MIRA_URL: 'http://127.0.0.1:9' } })
  expect(unreachable).toMatchObject({ code: 1, notes: 'The server can’t be reached.\n' })
})

test('shells get completions of commands', async () => {
  expect((await mira(['completion'], { environment: { SHELL: '/bin/bash' } })).output).toContain('complete ')
  const { output } = await mira(['--get-yargs-completions', 'mira', 'up'])
  expect(output).toContain('upload')
})

function readTexts(child: ChildProcess): string[] {
  const texts: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => texts.push(part.toString()))
  return texts
}
