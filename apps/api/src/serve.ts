import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { StartupError } from './errors.ts'
import type { ContextOverrides } from './foundations.ts'
import type { Log } from './log.ts'
import { isDatabaseUnavailable } from './platform/database/availability.ts'
import type { EmbeddedDatabase } from './platform/database/embedded.ts'
import { collectWhenIdle } from './platform/lib/idle-collector.ts'

const STOP_TIMEOUT_MS = 5000
/** Time for a load balancer to notice that this server is stopping. */
const NOTICE_MS = 5000
const DRAIN_CHECK_MS = 100
/** Short, because a starting server has no work to finish. */
const STOP_WHILE_STARTING_TIMEOUT_MS = 2000

interface Server {
  context: Context
  app: FastifyInstance
}

/** Reads the configuration and listens. Large modules are imported here, after the compile cache is enabled. */
async function start(overrides: ContextOverrides): Promise<Server> {
  enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/mira-compiled'))
  const { readConfig } = await import('./config.ts')
  const config = readConfig(process.env)
  const { createLog } = await import('./log.ts')
  const log = overrides.log ?? createLog(config.logLevel)
  const embedded = config.databaseUrl === undefined ? await beginOpening(config, log) : undefined
  const prepare = async () => {
    const [{ createContext }, { buildApp }] = await Promise.all([import('./context.ts'), import('./app.ts')])
    return { buildApp, context: await createContext(config, { ...overrides, log }, embedded?.opened) }
  }
  const { buildApp, context } = await prepare().catch(async (error: unknown) => {
    await embedded?.opened.then(
      (database) => database.close(),
      () => {},
    )
    throw error
  })
  let app: FastifyInstance | undefined
  try {
    app = await buildApp(context)
    await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
      throw asListenError(error, config)
    })
    await context.start()
  } catch (error) {
    printGeneratedPassword(context)
    await app?.close()
    await context.close()
    throw error
  }
  printWelcome(context, app)
  collectWhenIdle()
  if (config.role !== 'worker') void import('./warm-up.ts').then(({ warmUp }) => warmUp())
  return { context, app }
}

/** Starts opening the embedded database in a separate thread while this thread loads the other modules, which takes as long. */
async function beginOpening({ dataDir }: Config, log: Log): Promise<{ opened: Promise<EmbeddedDatabase> }> {
  const { openEmbedded } = await import('./platform/database/embedded.ts')
  const opened = openEmbedded({ dataDir, log })
  // createContext awaits it later and handles a failure.
  opened.catch(() => {})
  // Loading blocks this thread, so the other thread must start first.
  await yieldToEventLoop()
  return { opened }
}

/** Prints the reason in one sentence and exits with code 1. */
function failToStart(error: unknown): never {
  if (error instanceof StartupError) console.error(`Mira cannot start. ${error.message}`)
  else if (isDatabaseUnavailable(error)) {
    console.error(`Mira cannot start. The connection to the database was lost: ${(error as Error).message}`)
  } else console.error('Mira cannot start because of an unexpected error:', error)
  process.exit(1)
}

/** Shuts down in order on a signal, even while starting; a second signal stops waiting for running work. */
function stopOnSignals(starting: Promise<Server>): void {
  let isStopping = false
  let isReady = false
  starting.then(
    () => {
      isReady = true
    },
    () => {},
  )
  const secondSignal = new AbortController()
  const shutDown = async (server: Server, signal: string) => {
    if (signal === 'SIGTERM') await drain(server, secondSignal.signal)
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    await close(server.context, server.app, signal)
  }
  const stop = (signal: string) => {
    if (isStopping) return secondSignal.abort()
    isStopping = true
    const giveUp = isReady ? undefined : setTimeout(() => process.exit(0), STOP_WHILE_STARTING_TIMEOUT_MS).unref()
    starting
      .then((server) => {
        clearTimeout(giveUp)
        return shutDown(server, signal)
      })
      .catch(failToStart)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
}

/** Lets this server's requests, answers and jobs finish while other servers take new ones, for DRAIN_SECONDS at most. */
async function drain({ context, app }: Server, secondSignal: AbortSignal): Promise<void> {
  const { config, draining, log } = context
  const { drainMs, role } = config
  if (drainMs === 0) return
  log.info({ drain_ms: drainMs }, 'finishing running work before stopping')
  draining.begin()
  let isOver = false
  const waitForRequests = async () => {
    if (role !== 'worker') await sleep(Math.min(NOTICE_MS, drainMs / 2))
    context.events.endStreams()
    while (!isOver && (draining.openRequests() > 0 || context.chat.runningAnswers() > 0)) {
      app.server.closeIdleConnections()
      await sleep(DRAIN_CHECK_MS)
    }
  }
  const finished = Promise.all([waitForRequests(), context.drain()]).then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, 'could not wait for running work')
      return false
    },
  )
  const timeout = sleep(drainMs, false, { signal: secondSignal }).catch(() => false)
  if (!(await Promise.race([finished, timeout]))) log.warn({}, 'stopping with work unfinished')
  isOver = true
}

async function close(context: Context, app: FastifyInstance, signal: string): Promise<void> {
  context.log.info({ signal }, 'stopping')
  try {
    await app.close()
    await context.close()
    process.exit(0)
  } catch (error) {
    context.log.error({ err: error }, 'could not stop cleanly')
    process.exit(1)
  }
}

/**
 * Keeps serving after an uncaught error in one request or job: the others continue, and since rows are only
 * written in transactions, nothing is left half done.
 */
function logUncaughtErrors({ context: { log } }: Server): void {
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'))
  process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught error'))
}

function asListenError(error: unknown, { host, port }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new StartupError(`Port ${port} is already in use. Stop the other program, or set PORT to another number.`)
  if (code === 'EACCES')
    return new StartupError(`Port ${port} may not be used by this account. Set PORT to 1024 or more.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new StartupError(`HOST ${host} is not an address of this machine.`)
  return error
}

/** URL of this server on its machine. */
function localUrl(app: FastifyInstance, { host, port }: Config): string {
  const address = app.server.address()
  const readableHost = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${readableHost}:${typeof address === 'object' && address !== null ? address.port : port}`
}

/** Prints the address and how to sign in; a generated password is shown here and never again. */
function printWelcome({ config, firstAdmin }: Context, app: FastifyInstance): void {
  const isWorker = config.role === 'worker'
  const lines = isWorker
    ? [`A worker of ${config.assistantName} is ready.`, '', `  Health    ${localUrl(app, config)}/api/health`]
    : [
        `${config.assistantName} is ready.`,
        '',
        `  Open      ${config.publicUrl ?? localUrl(app, config)}`,
        `  Sign in   ${firstAdmin.username}`,
      ]
  if (firstAdmin.generatedPassword !== undefined) {
    lines.push(`  Password  ${firstAdmin.generatedPassword}   (shown once: keep it, or change it in Settings)`)
  }
  lines.push('', 'Press Ctrl-C to stop.')
  console.info(`\n${lines.join('\n')}\n`)
}

/** For a start that failed after creating the account, since no later start would show its password. */
function printGeneratedPassword({ firstAdmin: { username, generatedPassword } }: Context): void {
  if (generatedPassword === undefined) return
  console.info(`\nThe account ${username} was created with the password ${generatedPassword} (shown once: keep it).\n`)
}

/** Serves until the process is stopped; `overrides` are for tests. */
export async function serve(overrides: ContextOverrides = {}): Promise<void> {
  const starting = start(overrides)
  stopOnSignals(starting)
  await starting.then(logUncaughtErrors, failToStart)
}
