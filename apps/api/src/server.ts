import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { createContext } from './context.ts'
import { StartupError } from './errors.ts'

const STOP_TIMEOUT_MS = 5000

/** Says what went wrong in one sentence and ends the process with code 1. */
function failToStart(error: unknown): never {
  if (error instanceof StartupError) console.error(`Mira cannot start. ${error.message}`)
  else console.error('Mira cannot start because of an unexpected error:', error)
  process.exit(1)
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const context = await createContext(config)
  const app = await buildApp(context)

  let isStopping = false
  const stop = (signal: string) => {
    if (isStopping) return
    isStopping = true
    context.log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    app
      .close()
      .then(() => context.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          context.log.error({ err: error }, 'could not stop cleanly')
          process.exit(1)
        },
      )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    await context.close()
    throw listenError(error, config.host, config.port)
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  printWelcome(config.assistantName, config.publicUrl ?? `http://${readableHost(config.host)}:${port}`, context.firstAdmin)
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new StartupError(`Port ${port} is already in use. Stop the other program, or set PORT to another number.`)
  if (code === 'EACCES') return new StartupError(`Port ${port} may not be used by this account. Set PORT to 1024 or more.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartupError(`HOST ${host} is not an address of this machine.`)
  return error
}

function readableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** The one block that tells a person where to go; the generated password is shown here and never again. */
function printWelcome(
  assistantName: string,
  address: string,
  admin: { username: string; generatedPassword: string | undefined },
): void {
  const lines = [`${assistantName} is ready.`, '', `  Open      ${address}`, `  Sign in   ${admin.username}`]
  if (admin.generatedPassword !== undefined) {
    lines.push(`  Password  ${admin.generatedPassword}   (shown once: keep it, or change it in Settings)`)
  }
  lines.push('', 'Press Ctrl-C to stop.')
  console.info(`\n${lines.join('\n')}\n`)
}

await start().catch(failToStart)
