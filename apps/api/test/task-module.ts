// Tasks for tests of task processes, most with a way to fail.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHANNEL_FD, type TaskContext } from '../src/platform/sandbox/process-protocol.ts'
import { serveTasks } from '../src/platform/sandbox/serve-tasks.ts'

const kept: unknown[] = []

/** True for a file that can be opened for writing; nothing is written. */
function canOpen(path: string): boolean {
  try {
    closeSync(openSync(path, 'r+'))
    return true
  } catch {
    return false
  }
}

const tasks = {
  describe: (input: { date: Date; bytes: Uint8Array }) => ({ ...input, pid: process.pid, niceness: getPriority() }),
  environment: () => ({ ...process.env }),
  fail: ({ code }: { code: string }) => {
    throw Object.assign(new Error('It is broken.'), { code })
  },
  failPlainly: () => Promise.reject('only a sentence'),
  wait: ({ ms }: { ms: number }) => sleep(ms, 'waited'),
  waitUntilCancelled: (_input: null, { signal }: TaskContext) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('cancelled'))),
  spin: (): null => {
    for (;;);
  },
  crash: (): null => {
    console.error('a last word')
    process.abort()
  },
  /** Returns before the process crashes. */
  crashLater: ({ afterMs }: { afterMs: number }) => {
    setTimeout(() => process.abort(), afterMs)
    return process.pid
  },
  /** Allocates memory outside the JavaScript heap. */
  growOutside: async (): Promise<null> => {
    for (;;) {
      kept.push(Buffer.alloc(16_000_000, 1))
      await sleep(5)
    }
  },
  growInside: (): null => {
    for (;;) kept.push({ list: Array.from({ length: 1_000 }, () => Math.random()) })
  },
  hold: ({ megabytes }: { megabytes: number }) => {
    kept.push(Buffer.alloc(megabytes * 1_000_000, 1))
    return process.pid
  },
  /** Writes raw bytes to the server's channel, and keeps running. */
  sendBytes: async ({ bytes }: { bytes: number[] }): Promise<null> => {
    writeSync(CHANNEL_FD, Uint8Array.from(bytes))
    await sleep(10_000)
    return null
  },
  read: ({ filename }: { filename: string }) => readFileSync(filename, 'utf8'),
  link: ({ target, path }: { target: string; path: string }): null => {
    symlinkSync(target, path)
    return null
  },
  /** Starts a process that doesn't end. */
  startAnother: () => spawn('sleep', ['1000'], { stdio: 'ignore' }).pid ?? 0,
  write: ({ filename }: { filename: string }) => writeFileSync(filename, 'changed'),
  connect: async ({ port }: { port: number }) => {
    await once(connect(port, '127.0.0.1'), 'connect')
  },
  inspectEnvironment: () => ({
    canMakeNamespaces: spawnSync('/usr/bin/unshare', ['--user', '/bin/true']).status === 0,
    canSetKernel: canOpen('/proc/sys/kernel/core_pattern') || canOpen('/proc/sysrq-trigger'),
    processes: readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : [])),
    capabilities: /^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
  }),
  count: async ({ to }: { to: number }, { emit }: TaskContext<number>) => {
    for (let number = 1; number <= to; number++) await emit(number)
    return 'counted'
  },
}

export type TestTasks = typeof tasks

serveTasks(tasks)
