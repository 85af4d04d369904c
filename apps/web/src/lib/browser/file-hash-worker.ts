// Hashes files piece by piece in a worker: a long video must not block the page or fill the memory.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Response of this worker to a file. */
export type HashResponse = { id: number; sha256: string } | { id: number; reason: string }

/** Request to this worker. */
export interface HashRequest {
  id: number
  file: Blob
}

self.addEventListener('message', ({ data }: MessageEvent<HashRequest>) => {
  hashOf(data.file).then(
    (hash) => self.postMessage({ id: data.id, sha256: hash } satisfies HashResponse),
    (error: unknown) => self.postMessage({ id: data.id, reason: String(error) } satisfies HashResponse),
  )
})

async function hashOf(file: Blob): Promise<string> {
  const hash = sha256.create()
  const reader = file.stream().getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) hash.update(piece.value)
  return bytesToHex(hash.digest())
}
