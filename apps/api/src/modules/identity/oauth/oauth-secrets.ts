import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Kinds of secrets: a code, used once; an access token, for an hour; a refresh token, used once for the next two. */
export type SecretKind = 'code' | 'access' | 'refresh'

const prefixes: Record<SecretKind, string> = { code: 'mira_oc', access: 'mira_oa', refresh: 'mira_or' }
const PATTERN = /^(mira_o[car])_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_([\w-]{43})$/

/** A new secret, and the hash that is stored of it. */
export function newSecret(): { secret: string; secretHash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, secretHash: hashOf(secret).toString('hex') }
}

/** Token text for a program. */
export function tokenOf(kind: SecretKind, id: string, secret: string): string {
  return `${prefixes[kind]}_${id}_${secret}`
}

/** Row id and secret in a token; null when it isn't one of this kind. */
export function readToken(kind: SecretKind, token: string): { id: string; secret: string } | null {
  const [, prefix, id, secret] = PATTERN.exec(token) ?? []
  return prefix === prefixes[kind] && id !== undefined && secret !== undefined ? { id, secret } : null
}

/** Compares a secret with the stored hash in constant time. */
export function isSecret(secret: string, secretHash: string): boolean {
  return timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'hex'))
}

/** True when a verifier matches its S256 challenge (RFC 7636). */
export function isVerifier(verifier: string, challenge: string): boolean {
  const expected = Buffer.from(challenge, 'base64url')
  const actual = hashOf(verifier)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
