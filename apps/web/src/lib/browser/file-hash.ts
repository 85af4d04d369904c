import type { HashRequest, HashResponse } from './file-hash-worker.ts'
import { FILE_HASH_WORKER } from './trusted-types.ts'

/** Time after which an idle worker is terminated. */
const IDLE_MS = 10_000

interface PendingHash {
  resolve: (sha256: string) => void
  reject: (error: Error) => void
}

let worker: Worker | null = null
let idleTimer: ReturnType<typeof setTimeout> | undefined
let lastId = 0
const pending = new Map<number, PendingHash>()

/** SHA-256 hash of a file, hexadecimal, computed piece by piece in a worker. @throws Error when the file can't be read any more. */
export function sha256Of(file: Blob): Promise<string> {
  clearTimeout(idleTimer)
  worker ??= startWorker()
  const currentWorker = worker
  lastId += 1
  const id = lastId
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject })
    currentWorker.postMessage({ id, file } satisfies HashRequest)
  })
}

function startWorker(): Worker {
  const newWorker = new Worker(FILE_HASH_WORKER, { type: 'module' })
  newWorker.addEventListener('message', ({ data }: MessageEvent<HashResponse>) => {
    const request = pending.get(data.id)
    pending.delete(data.id)
    if ('sha256' in data) request?.resolve(data.sha256)
    else request?.reject(new Error(data.reason))
    if (pending.size === 0) idleTimer = setTimeout(stopWorker, IDLE_MS)
  })
  newWorker.addEventListener('error', ({ message }) => {
    for (const { reject } of pending.values()) reject(new Error(message || 'The worker could not be started'))
    pending.clear()
    stopWorker()
  })
  return newWorker
}

function stopWorker(): void {
  worker?.terminate()
  worker = null
}
