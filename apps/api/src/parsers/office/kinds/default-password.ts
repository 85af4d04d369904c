import { createHash } from 'node:crypto'

// Excel up to 2003 encrypts a workbook whose structure is protected with a default password, and opens it without
// asking (MS-XLS 2.2.10, MS-OFFCRYPTO 2.3.6 and 2.3.7).

const PASSWORD = 'VelvetSweatshop'
const FILE_PASS = 0x2f
/** Type of a record that readers skip, which replaces FilePass. */
const WRITE_PROTECTION = 0x86
const SHEET_BOUNDS = 0x85
/** Key and verifier that obfuscation derives from the password, and the byte that pads it to 16 bytes. */
const [OWN_KEY, OWN_VERIFIER] = [0xb359, 0x9a0a]
const PADDING = 0xbb
/** Unencrypted records: beginning of a stream, FilePass, user exclusion, file locks and interface headers. */
const unencryptedRecords = new Set([0x809, FILE_PASS, 0x194, 0x195, 0x1b9, 0xe1, 0x8d])
/** Bytes of a sheet's offset, which are unencrypted. */
const SHEET_OFFSET_BYTES = 4
const RECORD_HEADER_BYTES = 4
/** Each block of this size has a key stream of its own. */
const BLOCK_BYTES = 1024
const MAX_RECORDS_BEFORE = 20

interface WorkbookRecord {
  type: number
  /** Range of its content in the stream. */
  start: number
  end: number
}

/** Decrypts a workbook's stream that has Excel's default password; null when it has another password, or none. */
export function decryptWithDefaultPassword(stream: Buffer): Buffer | null {
  const filePass = recordsIn(stream)
    .take(MAX_RECORDS_BEFORE)
    .find(({ type }) => type === FILE_PASS)
  const decrypt = filePass && cipherOf(stream.subarray(filePass.start, filePass.end))
  if (filePass === undefined || !decrypt) return null
  const plain = Buffer.from(stream)
  for (const { type, start, end } of recordsIn(stream)) {
    if (!unencryptedRecords.has(type))
      decrypt(plain, type === SHEET_BOUNDS ? start + SHEET_OFFSET_BYTES : start, end, end - start)
  }
  plain.writeUInt16LE(WRITE_PROTECTION, filePass.start - RECORD_HEADER_BYTES)
  return plain
}

function* recordsIn(stream: Buffer): Generator<WorkbookRecord> {
  for (let index = 0; index + RECORD_HEADER_BYTES <= stream.length; ) {
    const start = index + RECORD_HEADER_BYTES
    const end = start + stream.readUInt16LE(index + 2)
    yield { type: stream.readUInt16LE(index), start, end: Math.min(end, stream.length) }
    index = end
  }
}

/** Decrypts bytes in place. */
type Cipher = (stream: Buffer, from: number, to: number, recordBytes: number) => void

function cipherOf(filePass: Buffer): Cipher | null {
  if (filePass.length === 4) return obfuscation(filePass)
  if (filePass.length >= 6 && filePass.readUInt16LE(0) === 0) return obfuscation(filePass.subarray(2))
  const isRc4 = filePass.length >= 54 && filePass.readUInt16LE(0) === 1 && filePass.readUInt16LE(2) === 1
  return isRc4 ? rc4(filePass.subarray(6, 22), filePass.subarray(22, 54)) : null
}

/** XOR with sixteen bytes, by index in the stream and length of the record. */
function obfuscation(filePass: Buffer): Cipher | null {
  const [key, verifier] = [filePass.readUInt16LE(0), filePass.readUInt16LE(2)]
  if (key !== OWN_KEY || verifier !== OWN_VERIFIER) return null
  const letters = [...Buffer.from(PASSWORD, 'latin1'), PADDING]
  const keys = letters.map((letter, index) => {
    const byte = letter ^ ((index % 2 === 0 ? key : key >>> 8) & 0xff)
    return ((byte << 2) | (byte >>> 6)) & 0xff
  })
  return (stream, from, to, recordBytes) => {
    for (let index = from; index < to; index++) {
      const byte = stream[index] ?? 0
      stream[index] = (((byte << 3) | (byte >>> 5)) & 0xff) ^ (keys[(index + recordBytes) % keys.length] ?? 0)
    }
  }
}

function rc4(salt: Buffer, verifier: Buffer): Cipher | null {
  const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest()
  const secret = md5(Buffer.from(PASSWORD, 'utf16le')).subarray(0, 5)
  const base = md5(Buffer.concat(Array<Buffer>(16).fill(Buffer.concat([secret, salt])))).subarray(0, 5)
  const keyOf = (block: number) => md5(Buffer.concat([base, Buffer.from(Uint32Array.of(block).buffer)]))
  const keysOfVerifier = keyStream(keyOf(0), 32)
  const check = Buffer.from(verifier.map((byte, index) => byte ^ (keysOfVerifier[index] ?? 0)))
  if (!md5(check.subarray(0, 16)).equals(check.subarray(16))) return null
  let block = -1
  let keys: Uint8Array = new Uint8Array()
  return (stream, from, to) => {
    for (let index = from; index < to; index++) {
      if (Math.floor(index / BLOCK_BYTES) !== block) {
        block = Math.floor(index / BLOCK_BYTES)
        keys = keyStream(keyOf(block), BLOCK_BYTES)
      }
      stream[index] = (stream[index] ?? 0) ^ (keys[index % BLOCK_BYTES] ?? 0)
    }
  }
}

/** Key stream of RC4, which Node no longer has. */
function keyStream(key: Uint8Array, length: number): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const valueAt = (index: number) => state[index & 0xff] ?? 0
  let j = 0
  const swap = (i: number) => {
    const before = valueAt(i)
    state[i] = valueAt(j)
    state[j] = before
  }
  for (let i = 0; i < 256; i++) {
    j = (j + valueAt(i) + (key[i % key.length] ?? 0)) & 0xff
    swap(i)
  }
  j = 0
  return new Uint8Array(length).map((_, n) => {
    const i = (n + 1) & 0xff
    j = (j + valueAt(i)) & 0xff
    swap(i)
    return valueAt(valueAt(i) + valueAt(j))
  })
}
