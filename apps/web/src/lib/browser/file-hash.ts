import type { HashAnswer, HashQuestion } from './file-hash-worker.ts'
import { FILE_HASH_WORKER } from './trusted-types.ts'

/** A worker that has nothing to do is ended after so long. */
const IDLE_MS = 10_000

interface Waiting {
  resolve: (sha256: string) => void
  reject: (error: Error) => void
}

let worker: Worker | null = null
let idle: ReturnType<typeof setTimeout> | undefined
let lastId = 0
const waiting = new Map<number, Waiting>()

/** The SHA-256 of a file, hexadecimal, read piece by piece in a worker. @throws Error when it cannot be read any more. */
export function sha256Of(file: Blob): Promise<string> {
  clearTimeout(idle)
  worker ??= startWorker()
  const mine = worker
  lastId += 1
  const id = lastId
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    mine.postMessage({ id, file } satisfies HashQuestion)
  })
}

function startWorker(): Worker {
  const started = new Worker(FILE_HASH_WORKER, { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<HashAnswer>) => {
    const request = waiting.get(data.id)
    waiting.delete(data.id)
    if ('sha256' in data) request?.resolve(data.sha256)
    else request?.reject(new Error(data.reason))
    if (waiting.size === 0) idle = setTimeout(stopWorker, IDLE_MS)
  })
  started.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message || 'The worker could not be started'))
    waiting.clear()
    stopWorker()
  })
  return started
}

function stopWorker(): void {
  worker?.terminate()
  worker = null
}
