import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Kinds of secrets: a code, used once; an access token, for an hour; a refresh token, used once for the next two. */
export type ShownKind = 'code' | 'access' | 'refresh'

const prefixes: Record<ShownKind, string> = { code: 'mira_oc', access: 'mira_oa', refresh: 'mira_or' }
const PATTERN = /^(mira_o[car])_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_([\w-]{43})$/

/** Makes a secret, and what of it is stored. */
export function newSecret(): { secret: string; secretHash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, secretHash: hashOf(secret).toString('hex') }
}

/** Text of a secret for a program. */
export function shownOf(kind: ShownKind, id: string, secret: string): string {
  return `${prefixes[kind]}_${id}_${secret}`
}

/** The id of the row and the secret that stand in what a program shows; null when it is none of this kind. */
export function readShown(kind: ShownKind, shown: string): { id: string; secret: string } | null {
  const [, prefix, id, secret] = PATTERN.exec(shown) ?? []
  return prefix === prefixes[kind] && id !== undefined && secret !== undefined ? { id, secret } : null
}

/** Compares a secret with the stored hash in constant time. */
export function isSecret(secret: string, secretHash: string): boolean {
  return timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'hex'))
}

/** True when a verifier matches its S256 challenge (RFC 7636). */
export function isVerifier(verifier: string, challenge: string): boolean {
  const made = createHash('sha256').update(verifier).digest()
  const told = Buffer.from(challenge, 'base64url')
  return told.length === made.length && timingSafeEqual(made, told)
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
