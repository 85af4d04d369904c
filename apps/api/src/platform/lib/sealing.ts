import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts small texts, and detects changes to them. */
export interface Seal {
  /** Encrypts a text; the result differs each time. */
  encrypt(text: string): string
  /** Decrypts a text; null unless it was sealed with this secret for this purpose, and is unchanged. */
  decrypt(sealed: string): string | null
  /** Deterministic HMAC of a text. */
  fingerprint(text: string): string
}

/** Creates a seal with keys that are derived from the secret for this purpose only. */
export function createSeal({ secret, purpose }: { secret: string; purpose: string }): Seal {
  const keyOf = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `mira: ${purpose}: ${use}`, 32))
  const encryptionKey = keyOf('encryption')
  const fingerprintKey = keyOf('fingerprint')
  return {
    encrypt(text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < IV_BYTES + TAG_BYTES) return null
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, IV_BYTES))
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
      } catch {
        // altered, or sealed with another key
        return null
      }
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('base64url'),
  }
}
