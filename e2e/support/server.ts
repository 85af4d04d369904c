import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CreateUserJson, LoginResponse, UserJson } from '@mira/shared'
import { copyTemplateDatabase, templateFolder } from '../../apps/api/test/laid-database.ts'
import { type OpenAiServer, startOpenAiServer } from '../../apps/api/test/openai-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const START_TIMEOUT_MS = 120_000

/** An account that a test signs in with. */
export interface Account {
  user: UserJson
  password: string
  token: string
}

/** Separate server process on a random port, with its own migrated, empty database and a mock model server. */
export interface TestServer {
  url: string
  /** Mock model server, which tests give its next responses. */
  openAi: OpenAiServer
  admin: Account
  /** Output so far. */
  output(): string
  /** Calls the JSON API. @throws Error unless the response is successful. */
  call<T>(method: string, apiPath: string, options?: { token?: string; body?: unknown }): Promise<T>
  /** Signs the administrator in again. */
  signInAdmin(): Promise<Account>
  /** Creates an account with a unique name and every permission, except for the overrides. */
  createAccount(overrides?: Partial<CreateUserJson>): Promise<Account>
  /** Kills the process, and restarts it with the same data and port. */
  crashAndRestart(): Promise<void>
  stop(): Promise<void>
}

const ADMIN_PASSWORD = 'violet-harbour-teapot-91'
const USER_PASSWORD = 'quiet-lantern-orchard-52'

/**
 * Starts a server; `environment` adds to or replaces its variables, `nodeFlags` are passed to Node.js.
 * @throws Error with the output when it doesn't start within two minutes.
 */
export async function startTestServer(
  environment: Record<string, string> = {},
  nodeFlags: string[] = [],
): Promise<TestServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'mira-e2e-'))
  // creating a database from scratch takes many times as long; the template's code is loaded only while there is no template
  if (!existsSync(templateFolder())) {
    const { prepareTemplate } = await import('../../apps/api/test/database-template.ts')
    await prepareTemplate()
  }
  copyTemplateDatabase(dataDir)
  const openAi = await startOpenAiServer()
  const variables = {
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD,
    LOG_LEVEL: 'warn',
    LOCAL_MODELS: 'off',
    OPENAI_BASE_URL: openAi.baseUrl,
    OPENAI_API_KEY: 'test-key',
    CHAT_MODEL: 'test-model',
    ...environment,
  }
  let printed = ''
  const launch = async (port: string) => {
    const started = spawnServer({ ...variables, PORT: port }, nodeFlags, (text) => {
      printed += text
    })
    return { child: started, url: await addressOf(started, () => printed.slice()) }
  }
  let { child, url } = await launch(environment.PORT ?? '0')

  const call = async <T>(method: string, apiPath: string, options: { token?: string; body?: unknown } = {}) => {
    const response = await fetch(`${url}/api${apiPath}`, {
      method,
      headers: {
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${apiPath} responded with ${response.status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const signIn = async (username: string, password: string): Promise<Account> => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      body: new URLSearchParams({ username, password }),
    })
    if (!response.ok) throw new Error(`${username} could not sign in: ${await response.text()}`)
    const { access_token: token } = (await response.json()) as LoginResponse
    return { token, password, user: await call<UserJson>('GET', '/auth/me', { token }) }
  }
  // a generated password is printed
  const signInAdmin = () => signIn('admin', /^ {2}Password +(\S+)/m.exec(printed)?.[1] ?? ADMIN_PASSWORD)
  const admin = await signInAdmin()

  let accounts = 0
  return {
    get url() {
      return url
    },
    openAi,
    admin,
    signInAdmin,
    output: () => printed,
    call,
    async createAccount(overrides = {}) {
      accounts += 1
      const username = overrides.username ?? `person${accounts}`
      const body: CreateUserJson = {
        username,
        email: `${username}@example.org`,
        full_name: `Person ${accounts}`,
        password: USER_PASSWORD,
        role: 'user',
        can_chat: true,
        can_upload: true,
        can_use_voice: true,
        can_use_agents: true,
        ...overrides,
      }
      await call('POST', '/admin/users', { token: admin.token, body })
      return signIn(username, body.password)
    },
    async crashAndRestart() {
      await end(child, 'SIGKILL')
      const restarted = await launch(new URL(url).port)
      child = restarted.child
      url = restarted.url
    },
    async stop() {
      await end(child, 'SIGTERM')
      await openAi.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Variables for the C library's memory allocator, set by a full test run. */
const memoryVariables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(MALLOC_|GLIBC_TUNABLES$)/.test(name)),
)

/** Passes on only the variables that the process needs, so that a developer's settings don't affect tests. */
function spawnServer(
  variables: Record<string, string>,
  nodeFlags: string[],
  onOutput: (text: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, [...nodeFlags, 'e2e/support/server-process.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      TZ: 'UTC',
      TEST_BUILT_SERVER: process.env.TEST_BUILT_SERVER ?? '',
      ...memoryVariables,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // the worker may be ended in the middle of a test
  const endWithWorker = () => child.kill('SIGKILL')
  process.once('exit', endWithWorker)
  child.once('exit', () => process.off('exit', endWithWorker))
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onOutput)
  return child
}

/** Waits for the server's start message and reads its address from it. */
async function addressOf(child: ChildProcess, printed: () => string): Promise<string> {
  const before = printed().length
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const address = /^ {2}Open +(http\S+)$/m.exec(printed().slice(before))?.[1]
    if (address !== undefined) return address
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`The server didn’t start. Output:\n${printed().slice(before)}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
