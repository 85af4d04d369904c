// Fills the compile cache of the processes that read untrusted files. Done in advance, since nothing else writes to that cache.
// Usage: compile-readers.ts [src]. Compiles the bundled parsers; with src, their sources, for servers that run without a build.
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
// Each build names its bundles differently, so the previous build's cache is useless.
if (!isSource) rmSync(compiledReaders, { recursive: true, force: true })
mkdirSync(compiledReaders, { recursive: true })
const outputFolder = mkdtempSync(join(tmpdir(), 'mira-compiling-'))
const argument: ProcessArgument = { memoryLimitMb: 64_000, niceness: 0, outputFolder }
const semaphore = createSemaphore({ permits: availableParallelism(), maxWaiting: readers.length })
try {
  await Promise.all(readers.map((path) => semaphore.run(() => compile(join(apiFolder, path)))))
  shareCompileCache()
} finally {
  rmSync(outputFolder, { recursive: true })
}

/**
 * Starts a reader and closes its channel, so that it exits normally, because Node only writes its compile cache at a normal
 * exit. Readers that this machine can't run, because their native code is missing, are skipped.
 */
async function compile(reader: string): Promise<void> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiledReaders }
  const args = ['--disable-warning=ExperimentalWarning', reader, JSON.stringify(argument)]
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const channel = child.stdio[CHANNEL_FD]
  channel?.once('data', () => channel.destroy())
  const [code] = await once(child, 'exit')
  if (code !== 0) console.error(`${reader} can't be compiled.`)
}

/**
 * Lets other operating-system users load the cache: a parser service runs each process as a separate user, and in a user
 * namespace every process is root.
 */
function shareCompileCache(): void {
  if (process.platform !== 'linux') return
  for (const folder of readdirSync(compiledReaders)) {
    const path = join(compiledReaders, folder)
    chmodSync(path, 0o755)
    for (const name of readdirSync(path)) chmodSync(join(path, name), 0o644)
    const rootLink = join(compiledReaders, nameForUser(folder, 0))
    if (lstatSync(rootLink, { throwIfNoEntry: false }) === undefined) symlinkSync(folder, rootLink)
  }
  chmodSync(compiledReaders, 0o755)
}
