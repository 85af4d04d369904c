// Compiles all that reads strangers' files once, before there is any file: nobody else writes where it is kept.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { compiledReaders } from './platform/sandbox/compiled-readers.ts'
import type { ProcessSettings } from './platform/sandbox/process-protocol.ts'

const readers = [
  './engines/local/model-process.ts',
  './adapters/chat-archives/archive-process.ts',
  './adapters/media-archives/media-archive-process.ts',
  './adapters/media/ocr/ocr-process.ts',
  './adapters/media/papers/paper-process.ts',
  './adapters/media/pdf/pdf-process.ts',
  './adapters/media/pictures/picture-process.ts',
  './platform/sandbox/cage-trial-process.ts',
]

if (process.send === undefined) {
  const settings: ProcessSettings = { memoryLimitMb: 64_000, niceness: 0 }
  const env = { ...process.env, NODE_COMPILE_CACHE: compiledReaders }
  const child = fork(import.meta.filename, [JSON.stringify(settings)], { env, execArgv: [] })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} else {
  for (const reader of readers)
    await import(reader).catch((error: unknown) => console.error(`${reader} cannot be compiled:`, error))
  // what was compiled is written when a process ends by itself
  process.exit()
}
