import { createHash, randomBytes } from 'node:crypto'

const MAX_PER_MS = 0xfff
let [lastMs, countInMs] = [0, 0]

/**
 * A UUID of version 7, which begins with the time, so that rows created together are stored together. Each is greater than
 * this process's earlier ones, which orders rows of the same millisecond.
 */
export function newId(): string {
  const bytes = randomBytes(16)
  const now = Date.now()
  if (now > lastMs) [lastMs, countInMs] = [now, 0]
  else if (countInMs < MAX_PER_MS) countInMs++
  else [lastMs, countInMs] = [lastMs + 1, 0]
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(countInMs, 6)
  return toUuid(bytes, 7)
}

/** Deterministic id of these words: a UUID of version 8. */
export function deterministicId(...words: string[]): string {
  return toUuid(createHash('sha256').update(JSON.stringify(words)).digest().subarray(0, 16), 8)
}

function toUuid(bytes: Buffer, version: number): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
