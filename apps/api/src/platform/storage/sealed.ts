import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import { Readable } from 'node:stream'

/**
 * Start of a sealed file, followed by the key's cost (as a power of two), a salt, a nonce, and pieces with their own
 * authentication tags. A piece's nonce contains its number and a flag for the last one, so that no piece can be left out,
 * moved or cut off unnoticed.
 */
const MAGIC = Buffer.from('mira.sealed.1\n')
const SALT_BYTES = 16
const NONCE_BYTES = 7
const PIECE_BYTES = 64 * 1024
const TAG_BYTES = 16
const KEY_BYTES = 32
/** Cost of deriving the key: each guess of a passphrase takes 128 MB and a third of a second. */
const COST_EXPONENT = 17
const MAX_COST_EXPONENT = 20
/** Memory of a derivation at the lowest cost. */
const MIN_KEY_MEMORY_BYTES = 64 * 1024
const HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES + NONCE_BYTES

/** A file can't be unsealed: the passphrase is wrong, or the file is damaged. */
export class SealError extends Error {
  override name = 'SealError'
}

/**
 * Encrypts a stream with a passphrase (scrypt, AES-256-GCM).
 * @param costExponent lower in tests, to make them fast.
 */
export function seal(content: Readable, passphrase: string, costExponent = COST_EXPONENT): Readable {
  const pieces = async function* () {
    const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
    const key = await keyOf(passphrase, salt, costExponent)
    yield Buffer.concat([MAGIC, Buffer.from([costExponent]), salt, nonce])
    let number = 0
    for await (const { piece, isLast } of splitIntoPieces(content, PIECE_BYTES)) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(nonce, number++, isLast))
      yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

/** Sealed size of content of this many bytes. */
export function sealedBytes(plainBytes: number): number {
  return HEADER_BYTES + plainBytes + TAG_BYTES * Math.max(1, Math.ceil(plainBytes / PIECE_BYTES))
}

/** Content size of a sealed file of this many bytes. */
export function unsealedBytes(sealedBytes: number): number {
  const pieceBytes = sealedBytes - HEADER_BYTES
  return pieceBytes - TAG_BYTES * Math.ceil(pieceBytes / (PIECE_BYTES + TAG_BYTES))
}

/** Decrypts a sealed file. The stream may fail with SealError; everything before that is authentic. */
export function unseal(sealed: Readable, passphrase: string): Readable {
  const pieces = async function* () {
    const source = sealed[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    let head = Buffer.alloc(0)
    while (head.length < HEADER_BYTES) {
      const { value, done } = await source.next()
      if (done) throw new SealError('it is cut off')
      head = Buffer.concat([head, value])
    }
    if (!isSealed(head)) throw new SealError('it is not sealed')
    const exponent = head[MAGIC.length] ?? 0
    if (exponent > MAX_COST_EXPONENT || exponent < 1) throw new SealError('it is damaged')
    const salt = head.subarray(MAGIC.length + 1, MAGIC.length + 1 + SALT_BYTES)
    const nonce = head.subarray(MAGIC.length + 1 + SALT_BYTES, HEADER_BYTES)
    const key = await keyOf(passphrase, salt, exponent)
    const rest = async function* () {
      yield head.subarray(HEADER_BYTES)
      yield* { [Symbol.asyncIterator]: () => source }
    }
    let number = 0
    for await (const { piece, isLast } of splitIntoPieces(rest(), PIECE_BYTES + TAG_BYTES)) {
      yield decryptPiece(key, nonceOf(nonce, number, isLast), piece, number)
      number++
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

/** True for a sealed file, by its first bytes. */
export function isSealed(beginning: Uint8Array): boolean {
  return MAGIC.equals(Buffer.from(beginning.subarray(0, MAGIC.length)))
}

/** True for a sealed file on disk, by its first bytes. */
export async function isSealedFile(filename: string): Promise<boolean> {
  const handle = await openFile(filename)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    return isSealed(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

function decryptPiece(key: Buffer, nonce: Buffer, piece: Buffer, number: number): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAuthTag(piece.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(piece.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch (error) {
    const reason = number === 0 ? 'the passphrase is wrong, or it is damaged' : 'it is damaged or cut off'
    throw new SealError(reason, { cause: error })
  }
}

function nonceOf(nonce: Uint8Array, number: number, isLast: boolean): Buffer {
  const whole = Buffer.alloc(NONCE_BYTES + 5)
  whole.set(nonce)
  whole.writeUInt32BE(number, NONCE_BYTES)
  whole[NONCE_BYTES + 4] = isLast ? 1 : 0
  return whole
}

/** Pieces of equal length; at least one, and the last may be shorter. */
async function* splitIntoPieces(
  content: AsyncIterable<Buffer>,
  length: number,
): AsyncGenerator<{ piece: Buffer; isLast: boolean }> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const part of content) {
    chunks.push(part)
    bytes += part.length
    // a full piece may be the last one
    if (bytes <= length) continue
    let all = Buffer.concat(chunks)
    while (all.length > length) {
      yield { piece: all.subarray(0, length), isLast: false }
      all = all.subarray(length)
    }
    chunks = [all]
    bytes = all.length
  }
  yield { piece: Buffer.concat(chunks), isLast: true }
}

function keyOf(passphrase: string, salt: Uint8Array, exponent: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** exponent, r: 8, p: 1, maxmem: 2 ** exponent * 2048 + MIN_KEY_MEMORY_BYTES }
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}
