// Compiles all that reads strangers' files once, before there is any file: nobody else writes where it is kept.
// Usage: compile-readers.ts [src], the bundled parsers or those that run where nothing is built.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSemaphore } from './platform/lib/semaphore.ts'
import { apiFolder, compiledReaders, nameForUser, readerSources } from './platform/sandbox/compiled-readers.ts'
import { CHANNEL_FD, type ProcessArgument } from './platform/sandbox/process-protocol.ts'

const TIMEOUT_MS = 60_000

const isSource = process.argv[2] === 'src'
const readers = isSource ? readerSources() : globSync('dist/*-process.mjs', { cwd: apiFolder })
// each build has other files
if (!isSource) rmSync(compiledReaders, { recursive: true, force: true })
mkdirSync(compiledReaders, { recursive: true })
const outputFolder = mkdtempSync(join(tmpdir(), 'mira-compiling-'))
const argument: ProcessArgument = { memoryLimitMb: 64_000, niceness: 0, outputFolder }
const semaphore = createSemaphore({ permits: availableParallelism(), maxWaiting: readers.length })
try {
  await Promise.all(readers.map((path) => semaphore.run(() => compile(join(apiFolder, path)))))
  shareCompiled()
} finally {
  rmSync(outputFolder, { recursive: true })
}

/**
 * Starts a reader and ends it by closing its channel: Node writes what it compiled when a process ends by itself. One that
 * this machine can't run, as its native code is missing, is passed over.
 */
async function compile(reader: string): Promise<void> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiledReaders }
  const words = ['--disable-warning=ExperimentalWarning', reader, JSON.stringify(argument)]
  const child = spawn(process.execPath, words, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const channel = child.stdio[CHANNEL_FD]
  channel?.once('data', () => channel.destroy())
  const [code] = await once(child, 'exit')
  if (code !== 0) console.error(`${reader} cannot be compiled.`)
}

/**
 * Lets other users load it: a parser service has one for each process, and in a sandbox of namespaces everybody is root.
 */
function shareCompiled(): void {
  if (process.platform !== 'linux') return
  for (const folder of readdirSync(compiledReaders)) {
    const path = join(compiledReaders, folder)
    chmodSync(path, 0o755)
    for (const name of readdirSync(path)) chmodSync(join(path, name), 0o644)
    const ofRoot = join(compiledReaders, nameForUser(folder, 0))
    if (lstatSync(ofRoot, { throwIfNoEntry: false }) === undefined) symlinkSync(folder, ofRoot)
  }
  chmodSync(compiledReaders, 0o755)
}
