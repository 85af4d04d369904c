// Compiles all that reads strangers' files once, before there is any file: nobody else writes where it is kept.
// Usage: compile-readers.ts [src], the bundled parsers or those that run where nothing is built.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSemaphore } from './platform/lib/semaphore.ts'
import { apiFolder, compiledReaders, readerSources } from './platform/sandbox/compiled-readers.ts'
import { CHANNEL_FD, type ProcessArgument } from './platform/sandbox/process-protocol.ts'

const readers = process.argv[2] === 'src' ? readerSources() : globSync('dist/readers/*-process.mjs', { cwd: apiFolder })
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

/** Starts a reader and ends it by closing its channel: Node writes what it compiled when a process ends by itself. */
async function compile(reader: string): Promise<void> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiledReaders }
  const words = ['--disable-warning=ExperimentalWarning', reader, JSON.stringify(argument)]
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })
  const channel = child.stdio[CHANNEL_FD]
  channel?.once('data', () => channel.destroy())
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${reader} cannot be compiled.`)
}

/** Lets processes of other users read it, as a parser service has one for each. */
function shareCompiled(): void {
  for (const entry of readdirSync(compiledReaders, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644)
}
