import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createServerDatabase } from './database-template.ts'
import { layDatabase } from './laid-database.ts'

const sourceDir = resolve(import.meta.dirname, '../src')
const builtServer = resolve(import.meta.dirname, '../dist/server.mjs')

/** A whole run of the tests and a bench start what people start; a test that runs alone starts the sources as they are now. */
const isOfBuilt = process.env.TEST_BUILT_SERVER === '1' || !process.env.VITEST

/** A test's process ends soon, and has no use for faster code of its database; a bench measures what people start. */
const ofTests = process.env.VITEST ? ['--liftoff-only'] : []

/** Compile cache shared by the tests' processes; a bench starts servers as users do. */
const compiledBefore: Record<string, string> = process.env.NODE_COMPILE_CACHE
  ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
  : {}

/** A program of the API that was started as a person starts it. */
export interface ProcessUnderTest {
  pid: number
  /** All that it has printed so far, on either stream. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Resolves with its exit code, or the name of the signal that ended it. */
  exited: Promise<number | string>
  /** Resolves with the address that it prints when it is ready. @throws Error when it ends before. */
  ready: Promise<string>
}

type Program = 'server.ts' | 'reset-password.ts' | 'move-files.ts' | 'check-files.ts' | 'restore.ts'

/** Starts a program of the API with these variables and nothing else of this process's own. */
export function startProcess(
  file: Program,
  environment: Record<string, string>,
  args: string[] = [],
): ProcessUnderTest {
  let printed = ''
  const program = file === 'server.ts' && isOfBuilt ? builtServer : join(sourceDir, file)
  const child = spawn(process.execPath, [...ofTests, program, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      LOCAL_MODELS: 'off',
      ...compiledBefore,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const ready = new Promise<string>((resolveAddress, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        const [, address] = /^ {2}(?:Open|Health) +(http\S+?)(?:\/api\/health)?$/m.exec(printed) ?? []
        if (address !== undefined) resolveAddress(address)
      })
    }
    void exited.then((code) => reject(new Error(`it ended with ${code} before it was ready: ${printed}`)))
  })
  // whoever expects it to fail does not wait for it to be ready
  ready.catch(() => {})
  return {
    pid: child.pid ?? 0,
    output: () => printed,
    kill: (signal) => {
      child.kill(signal)
    },
    exited,
    ready,
  }
}

/** Environment of a server with an empty database, and its removal. */
export interface TestInstance {
  environment: { DATA_DIR: string; DATABASE_URL?: string }
  remove(): Promise<void>
}

/** Makes a data folder with an empty database in it, or on the server of TEST_DATABASE_URL. */
export async function prepareInstance(): Promise<TestInstance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mira-process-'))
  // children of a server that was ended may still be writing
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl) {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    const remove = async () => {
      removeFolder()
      await drop()
    }
    return { environment: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }, remove }
  }
  layDatabase(dataDir)
  return { environment: { DATA_DIR: dataDir }, remove: async () => removeFolder() }
}
