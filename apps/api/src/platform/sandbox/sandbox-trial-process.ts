// Tries to escape from its sandbox, like a parser that a malicious file has taken over.
import { ok } from 'node:assert'
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { ReachableResources } from './sandbox.ts'
import { serveTasks } from './serve-tasks.ts'

const CONNECT_TIMEOUT_MS = 1_000
/** Environment variables with secrets. */
const SECRETS = /(SECRET|PASSWORD|API_KEY|TOKEN|DATABASE_URL)=./

/** Files of the other process that the trial starts. */
export interface Planted {
  inputFile: string
  outputFolder: string
}

export interface Escape {
  /** A loopback port on which the server listens. */
  port: number
  dataDir: string
  /** A file that must be inaccessible. */
  canary: string
  /** The same file, among its inputs. */
  inputFile: string
  outputFolder: string
  neighbour: Planted
  /** Socket of the parser service; null without one. */
  serviceSocket: string | null
}

const can = (act: () => unknown) => {
  try {
    act()
    return true
  } catch {
    return false
  }
}

async function reachesNetwork(port: number): Promise<boolean> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  if (interfaces.some(({ internal }) => !internal)) return true
  return connects({ port, host: '127.0.0.1' })
}

/**
 * Sentence about wrong access to what the process needs: input that's unreadable or changeable, results that can't be
 * written, or missing packages. Null when all of it is right.
 */
function missingAccess({ inputFile, outputFolder }: Escape): string | null {
  if (!can(() => readFileSync(inputFile))) return 'it cannot read its input'
  if (can(() => writeFileSync(inputFile, 'changed'))) return 'it can change its input'
  if (!can(() => writeFileSync(join(outputFolder, 'result'), 'made'))) return 'it cannot write results'
  // a package with native code
  return can(() => createRequire(import.meta.url).resolve('sharp')) ? null : 'it cannot find packages'
}

/** True when the environment of any visible process, including this one, contains a secret. */
function findsSecrets(): boolean {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.some((pid) => can(() => ok(SECRETS.test(readFileSync(`/proc/${pid}/environ`, 'latin1')))))
}

const NEIGHBOURS_FILE = 'neighbours-result'

/** True when it can read or change another process's files, or replace the service. */
function reachesNeighbour({ neighbour: { inputFile, outputFolder }, serviceSocket }: Escape): boolean {
  const theirs = join(outputFolder, NEIGHBOURS_FILE)
  const attempts = [
    () => readFileSync(inputFile),
    () => readFileSync(theirs),
    () => writeFileSync(theirs, 'changed'),
    () => writeFileSync(join(outputFolder, 'planted'), 'made by another one'),
    () => readdirSync(outputFolder),
  ]
  if (serviceSocket !== null) attempts.push(() => unlinkSync(serviceSocket))
  return attempts.map(can).includes(true)
}

async function connects(options: { port: number; host: string } | { path: string }): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ ...options, timeout: CONNECT_TIMEOUT_MS })
  socket.on('connect', () => resolve(true))
  socket.on('error', () => resolve(false))
  socket.on('timeout', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

const tasks = {
  /** Writes a file that only this process may reach. */
  settle: ({ outputFolder }: Planted): null => {
    writeFileSync(join(outputFolder, NEIGHBOURS_FILE), 'to be found by nobody')
    return null
  },

  escape: async (input: Escape): Promise<{ reached: ReachableResources; failure: string | null }> => ({
    reached: {
      network:
        (await reachesNetwork(input.port)) ||
        (input.serviceSocket !== null && (await connects({ path: input.serviceSocket }))),
      secrets: can(() => readFileSync(join(input.dataDir, 'jwt-secret'))) || findsSecrets(),
      files:
        can(() => readFileSync(input.canary)) ||
        can(() => readdirSync(join(input.dataDir, 'files'))) ||
        reachesNeighbour(input),
    },
    failure: missingAccess(input),
  }),
}

export type TrialTasks = typeof tasks

serveTasks(tasks)
