/** Looked at on both ends of a file. */
const SAMPLE_BYTES = 256 * 1024

/** Fingerprint of a file without reading all of it: size, modification time, and a hash of name, beginning and end. */
export async function fingerprintOf(file: File): Promise<string> {
  const ends = [file.slice(0, SAMPLE_BYTES), file.slice(Math.max(0, file.size - SAMPLE_BYTES))]
  const parts = [new TextEncoder().encode(file.name)]
  for (const end of ends) parts.push(new Uint8Array(await end.arrayBuffer()))
  return `${file.size}-${file.lastModified}-${hashOf(parts)}`
}

/** Two FNV-1a hashes of 32 bits; no secret depends on it, and pages without https have no other. */
function hashOf(parts: Uint8Array[]): string {
  let [one, other] = [0x811c9dc5, 0x01000193]
  for (const part of parts) {
    for (const byte of part) {
      one = Math.imul(one ^ byte, 0x01000193)
      other = Math.imul(other + byte, 0x85ebca6b) ^ (other >>> 13)
    }
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
