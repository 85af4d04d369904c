import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createServerDatabase } from './database-template.ts'
import { copyTemplateDatabase } from './laid-database.ts'

const sourceDir = resolve(import.meta.dirname, '../src')
const builtServer = resolve(import.meta.dirname, '../dist/server.mjs')

/** Full test runs and benches start the built server; a test that runs alone starts the current sources. */
const usesBuiltServer = process.env.TEST_BUILT_SERVER === '1' || !process.env.VITEST

/** Tests skip the optimising WebAssembly compiler, since their processes end soon; benches start servers as users do. */
const testFlags = process.env.VITEST ? ['--liftoff-only'] : []

/** Compile cache shared by the tests' processes; a bench starts servers as users do. */
const compileCache: Record<string, string> = process.env.NODE_COMPILE_CACHE
  ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
  : {}

/** A program of the API, started as users start it. */
export interface ProcessUnderTest {
  pid: number
  /** Output so far, of both streams. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Resolves with its exit code, or the name of the signal that ended it. */
  exited: Promise<number | string>
  /** Resolves with the address that it prints when it's ready. @throws Error when it ends before. */
  ready: Promise<string>
}

type Program = 'server.ts' | 'reset-password.ts' | 'move-files.ts' | 'check-files.ts' | 'restore.ts'

/** Starts a program of the API with these environment variables, and without those of this process. */
export function startProcess(
  file: Program,
  environment: Record<string, string>,
  args: string[] = [],
): ProcessUnderTest {
  let printed = ''
  const program = file === 'server.ts' && usesBuiltServer ? builtServer : join(sourceDir, file)
  const child = spawn(process.execPath, [...testFlags, program, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      LOCAL_MODELS: 'off',
      ...compileCache,
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
    void exited.then((code) => reject(new Error(`the process ended with ${code} before it was ready: ${printed}`)))
  })
  // Tests that expect a failure don't await `ready`.
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

/** Creates a data folder with an empty database in it, or on the server of TEST_DATABASE_URL. */
export async function prepareInstance(): Promise<TestInstance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mira-process-'))
  // Children of a killed server may still be writing.
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
  copyTemplateDatabase(dataDir)
  return { environment: { DATA_DIR: dataDir }, remove: async () => removeFolder() }
}
