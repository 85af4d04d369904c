// Hashes files piece by piece, beside the page: a film of hours must not stop it, nor lie in memory.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Response of this worker to a file. */
export type HashAnswer = { id: number; sha256: string } | { id: number; reason: string }

/** Request to this worker. */
export interface HashQuestion {
  id: number
  file: Blob
}

self.addEventListener('message', ({ data }: MessageEvent<HashQuestion>) => {
  hashOf(data.file).then(
    (hash) => self.postMessage({ id: data.id, sha256: hash } satisfies HashAnswer),
    (error: unknown) => self.postMessage({ id: data.id, reason: String(error) } satisfies HashAnswer),
  )
})

async function hashOf(file: Blob): Promise<string> {
  const hash = sha256.create()
  const reader = file.stream().getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) hash.update(piece.value)
  return bytesToHex(hash.digest())
}
