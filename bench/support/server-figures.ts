// Preloaded into the measured server (node --import): on SIGUSR2, writes the delays of its event loop, its database statements and
// its resource usage to SERVER_FIGURES_FILE, and resets them.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'

/** Figures since the previous SIGUSR2; times in milliseconds. */
export interface ServerFigures {
  loopDelay: { median: number; p99: number; max: number }
  /** Including those that begin and end transactions. */
  statements: number
  /** Transactions of several statements. */
  transactions: number
  /** Processor time of all threads, in user and system mode. */
  processorMs: number
  residentBytes: number
}

const POLL_MS = 20

/** Requests the server's figures since the previous request. */
export async function readServerFigures(pid: number, figuresFile: string): Promise<ServerFigures> {
  rmSync(figuresFile, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(figuresFile)) await sleep(POLL_MS)
  return JSON.parse(readFileSync(figuresFile, 'utf8')) as ServerFigures
}

/** Timer interval; the measurement is the delay beyond it. */
const RESOLUTION_MS = 10
const file = process.env.SERVER_FIGURES_FILE

if (file !== undefined && isMainThread && process.argv[1]?.endsWith('server.mjs')) {
  const require = createRequire(new URL('../../apps/api/package.json', import.meta.url))
  const { Client } = require('pg') as { Client: { prototype: { query(...args: unknown[]): unknown } } }
  const query = Client.prototype.query
  let [statements, transactions] = [0, 0]
  Client.prototype.query = function (...args) {
    const [first] = args
    statements++
    if (typeof first === 'string' && first.startsWith('BEGIN')) transactions++
    else if ((first as { text?: string }).text?.startsWith('BEGIN')) transactions++
    return Reflect.apply(query, this, args)
  }
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let processorBefore = process.cpuUsage()
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  process.on('SIGUSR2', () => {
    const [median = 0, p99 = 0, max = 0] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map(late)
    const { user, system } = process.cpuUsage(processorBefore)
    const processorMs = (user + system) / 1000
    const residentBytes = process.memoryUsage.rss()
    const figures: ServerFigures = {
      loopDelay: { median, p99, max },
      statements,
      transactions,
      processorMs,
      residentBytes,
    }
    writeFileSync(`${file}.new`, JSON.stringify(figures))
    renameSync(`${file}.new`, file)
    histogram.reset()
    statements = 0
    transactions = 0
    processorBefore = process.cpuUsage()
  })
}
