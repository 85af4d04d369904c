// Compiles all that reads strangers' files once, before there is any file: nobody else writes where it is kept.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { compiledReaders } from './platform/sandbox/compiled-readers.ts'
import type { ProcessSettings } from './platform/sandbox/process-protocol.ts'

const readers = [
  './engines/local/model-process.ts',
  './parsers/chat-archives/archive-process.ts',
  './parsers/media-archives/media-archive-process.ts',
  './parsers/ocr/ocr-process.ts',
  './parsers/office/paper-process.ts',
  './parsers/pdf/pdf-process.ts',
  './parsers/image/picture-process.ts',
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
