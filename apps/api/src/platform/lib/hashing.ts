import { createHash } from 'node:crypto'

interface Hashed {
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Passes content through, and computes its size and hash. */
export async function* hashing(
  content: AsyncIterable<Uint8Array | string>,
  onEnd: (hashed: Hashed) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    hash.update(bytes)
    sizeBytes += bytes.length
    yield bytes
  }
  onEnd({ sizeBytes, sha256: hash.digest('hex') })
}

/** Hexadecimal SHA-256 of content. @throws the signal's reason. */
export async function sha256Of(content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of content) {
    signal.throwIfAborted()
    hash.update(piece)
  }
  return hash.digest('hex')
}
