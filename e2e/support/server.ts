import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CreateUserJson, LoginResponse, UserJson } from '@mira/shared'
import { layDatabase, templateFolder } from '../../apps/api/test/laid-database.ts'
import { type OpenAiServer, startOpenAiServer } from '../../apps/api/test/openai-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const START_TIMEOUT_MS = 120_000

/** An account that a test signs in with. */
export interface Account {
  user: UserJson
  password: string
  token: string
}

/** A server process of its own, on a random port, with a database of its own that is migrated and empty, and the test's model server. */
export interface TestServer {
  url: string
  /** The model server behind it: what it answers next is set here. */
  openAi: OpenAiServer
  admin: Account
  /** Everything that it has printed so far. */
  output(): string
  /** Calls the API as JSON; throws on an answer that is not a success. */
  call<T>(method: string, apiPath: string, options?: { token?: string; body?: unknown }): Promise<T>
  /** The administrator, signed in just now. */
  signInAdmin(): Promise<Account>
  /** A new account with a name of its own and every permission, but for what is given. */
  createAccount(given?: Partial<CreateUserJson>): Promise<Account>
  /** Ends the process as a crash would, and starts it again on the same data and port. */
  crashAndRestart(): Promise<void>
  stop(): Promise<void>
}

const ADMIN_PASSWORD = 'violet-harbour-teapot-91'
const USER_PASSWORD = 'quiet-lantern-orchard-52'

/**
 * Starts a server; `environment` adds to its variables or replaces them, `nodeFlags` are those of its process.
 * @throws Error with what it printed when it does not come up within a minute.
 */
export async function startTestServer(
  environment: Record<string, string> = {},
  nodeFlags: string[] = [],
): Promise<TestServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'mira-e2e-'))
  // making a database from nothing takes many times as long; what makes the template is loaded where there is none yet
  if (!existsSync(templateFolder())) {
    const { prepareTemplate } = await import('../../apps/api/test/database-template.ts')
    await prepareTemplate()
  }
  layDatabase(dataDir)
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
    if (!response.ok) throw new Error(`${method} ${apiPath} answered ${response.status}: ${text}`)
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
  // one that was made up is printed
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
    async createAccount(given = {}) {
      accounts += 1
      const username = given.username ?? `person${accounts}`
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
        ...given,
      }
      await call('POST', '/admin/users', { token: admin.token, body })
      return signIn(username, body.password)
    },
    async crashAndRestart() {
      await end(child, 'SIGKILL')
      const again = await launch(new URL(url).port)
      child = again.child
      url = again.url
    },
    async stop() {
      await end(child, 'SIGTERM')
      await openAi.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Variables for the C library's handling of free memory, set by a run of all tests. */
const memoryVariables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(MALLOC_|GLIBC_TUNABLES$)/.test(name)),
)

/** Only what a process needs to run is handed on, so that a developer's settings change no test. */
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

/** Waits for the block that the server prints when it is ready, and reads its address from there. */
async function addressOf(child: ChildProcess, printed: () => string): Promise<string> {
  const before = printed().length
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const address = /^ {2}Open +(http\S+)$/m.exec(printed().slice(before))?.[1]
    if (address !== undefined) return address
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`The server did not come up. It printed:\n${printed().slice(before)}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
