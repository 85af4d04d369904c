import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoginResponse, MeJson, User, UserJson } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import supertest from 'supertest'
import { buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { createContext } from '../src/context.ts'
import type { ContextOverrides } from '../src/foundations.ts'
import { createLog } from '../src/log.ts'
import { openTestDatabase } from './database-template.ts'
import { insertUser, TEST_PASSWORD, type UserTraits } from './factories.ts'
import { testSandboxing } from './test-sandboxing.ts'

export { TEST_PASSWORD }

/** An account of a test with its credentials. */
export interface TestAccount {
  user: UserJson
  password: string
  token: string
}

/** The real app on a real database, without listening on a port. */
export interface TestApp {
  app: FastifyInstance
  context: Context
  /** supertest on the app: `request.get('/api/auth/me').auth(token, { type: 'bearer' })`. */
  request: ReturnType<typeof supertest>
  /** The administrator that every instance starts with. */
  admin: TestAccount
  /** Creates a signed-in account with a unique name that may only chat, unless the traits say otherwise. */
  createUser(traits?: UserTraits): Promise<TestAccount>
  /** Signs in through the API and returns the token. */
  signIn(username: string, password: string): Promise<string>
  close(): Promise<void>
}

export interface TestAppOptions extends ContextOverrides {
  /** Overrides of the configuration. */
  config?: Partial<Config>
  /** Environment variables for the configuration, in addition to those of every test. */
  environment?: Record<string, string>
  /** Runs jobs and schedules, as a server does; otherwise jobs stay in the queue. */
  isStarted?: boolean
}

/**
 * Starts the whole app: a database of its own (embedded, or on the server of TEST_DATABASE_URL), a temporary data
 * folder, no log, cheap password hashes, and parser processes shared by all users. Close it when the test file ends.
 */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { config: replaced, environment, isStarted = false, ...overrides } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'mira-test-'))
  const config = {
    ...readConfig({
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: TEST_PASSWORD,
      LOCAL_MODELS: 'off',
      // Nothing listens there, so connections are refused at once.
      WEATHER_URL: 'http://127.0.0.1:9',
      GEOCODING_URL: 'http://127.0.0.1:9',
      ...environment,
    }),
    ...replaced,
  }
  const context = await createContext(config, {
    log: createLog('silent'),
    bcryptCost: 4,
    proveBackup: async () => ({ problem: null }),
    openSandboxing: () => testSandboxing,
    ...overrides,
    database: overrides.database ?? (await openTestDatabase()),
  })
  const app = await buildApp(context)
  await app.ready()
  if (isStarted) await context.start()
  const request = supertest(app.server)

  const signIn = async (username: string, password: string) => {
    const response = await request.post('/api/auth/login').type('form').send({ username, password }).expect(200)
    return (response.body as LoginResponse).access_token
  }
  const accountOf = async ({ username }: Pick<User, 'username'>): Promise<TestAccount> => {
    const token = await signIn(username, TEST_PASSWORD)
    const response = await request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(200)
    const { must_change_password: _made, has_password: _has, preferences: _own, ...user } = response.body as MeJson
    return { user, password: TEST_PASSWORD, token }
  }

  return {
    app,
    context,
    request,
    admin: await accountOf(context.firstAdmin),
    signIn,
    createUser: async (traits = {}) => accountOf(await insertUser(context.database, traits)),
    async close() {
      await app.close()
      await context.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
