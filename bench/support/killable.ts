import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that can be killed and started again. */
export interface Killable {
  name: string
  /** Kills it and all its descendants (SIGKILL). @returns their number. */
  kill(): number
  /** Starts it, and resolves when it is up. */
  start(): Promise<void>
  pid(): number
}

/** Program, arguments and health check. */
export interface KillableOptions {
  name: string
  command: string[]
  environment?: Record<string, string>
  /** User that it runs as. */
  user?: { uid: number; gid: number } | undefined
  logFile: string
  /** Gets processor time before others, as if on a separate machine. */
  isFirst?: boolean
  isUp(): Promise<boolean>
  timeoutMs?: number
}

const kills = new Set<() => unknown>()

/** Kills a process when this one exits for any reason. */
export function killOnExit(kill: () => unknown): void {
  if (kills.size === 0) process.on('exit', () => [...kills].map((each) => each()))
  kills.add(kill)
}

export function createKillable(options: KillableOptions): Killable {
  const { name, command, environment, user, logFile, isFirst, isUp, timeoutMs = 600_000 } = options
  let pid = 0
  killOnExit(() => killAll([pid]))
  return {
    name,
    pid: () => pid,
    kill: () => killAll([pid]),
    async start() {
      const [program = '', ...args] = command
      const env = { ...process.env, ...environment }
      let isRunning = false
      // restarted when it exits, like under a supervisor
      const startAndCheck = async () => {
        if (!isRunning) {
          const log = openSync(logFile, 'a')
          const child = spawn(program, args, { ...user, env, stdio: ['ignore', log, log], cwd: '/' })
          closeSync(log)
          isRunning = true
          child.once('exit', () => {
            isRunning = false
          })
          pid = child.pid ?? 0
          if (isFirst && process.getuid?.() === 0) setPriority(pid, 0)
        }
        return isUp()
      }
      await waitUntil(startAndCheck, `${name} does not start, see ${logFile}`, timeoutMs)
    },
  }
}

/** Processes and all their descendants. */
export function familyOf(pids: number[]): Set<number> {
  const family = new Set(pids)
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name): [number, number] => [Number(name), Number(statOf(name)[1] ?? 0)])
  for (let before = -1; before !== family.size; ) {
    before = family.size
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid)
  }
  return family
}

/** Kills processes and their descendants (SIGKILL). @returns their number. */
export function killAll(pids: number[]): number {
  let count = 0
  for (const pid of familyOf(pids.filter((pid) => pid > 1))) {
    try {
      process.kill(pid, 'SIGKILL')
      count += 1
    } catch (error) {
      // it has already ended
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  return count
}

/** Polls a condition. @throws Error with the message on timeout. */
export async function waitUntil(
  condition: () => Promise<boolean>,
  message: string,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(message)
    await sleep(200)
  }
}

/** True when a URL responds with 200 within ten seconds. */
export const isOk = async (url: string): Promise<boolean> => (await statusOf(url)) === 200

/** Status of a response; 0 when none comes within ten seconds. */
export async function statusOf(url: string): Promise<number> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(10_000) })).status
  } catch {
    // nothing listens yet
    return 0
  }
}

/** Fields of /proc/PID/stat after the name, starting with the state; empty when the process has ended. */
export function statOf(pid: number | string): string[] {
  const stat = readProc(pid, 'stat')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** File of a process in /proc; empty when the process has ended. */
export function readProc(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
