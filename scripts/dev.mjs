// `npm run dev`: the API, restarted when one of its files changes, and Vite, which serves the web app with hot reload and
// proxies /api. They stop together.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run, step } from './steps.mjs'

const STOP_TIMEOUT_MS = 8000
const root = join(import.meta.dirname, '..')
process.chdir(root)
if (existsSync('.env')) process.loadEnvFile('.env')

const isGenerated = await step('database client', () => run(['turbo', 'run', 'generate']))
if (!isGenerated) process.exit(1)

let exitCode = 0
let isStopping = false
const running = new Set([
  start('api', ['node', '--watch', '--watch-preserve-output', 'apps/api/src/server.ts'], {
    LOG_LEVEL: process.env.LOG_LEVEL || 'debug',
  }),
  start('web', ['vite', '--config', 'apps/web/vite.config.ts', '--clearScreen', 'false'], {
    MIRA_API_PORT: process.env.PORT || '3000',
  }),
])
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop())

function start(name, [program, ...args], environment) {
  const child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of ['stdout', 'stderr']) {
    createInterface({ input: child[stream] }).on('line', (line) => process[stream].write(`${name} │ ${line}\n`))
  }
  child.on('error', (error) => console.error(`${name} couldn’t be started: ${error.message}`))
  child.on('close', (code) => {
    running.delete(child)
    if (!isStopping) {
      console.error(`${name} has exited (${code ?? 'killed'}); stopping the other one, too.`)
      exitCode = 1
      stop()
    }
    if (running.size === 0) process.exit(exitCode)
  })
  return child
}

function stop() {
  if (isStopping) return
  isStopping = true
  for (const child of running) child.kill('SIGTERM')
  setTimeout(() => {
    for (const child of running) child.kill('SIGKILL')
  }, STOP_TIMEOUT_MS).unref()
}
