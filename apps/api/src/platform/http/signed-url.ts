import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { TokenScope, User } from '@mira/shared'
import { setBounded } from '../lib/bounded-map.ts'
import { type AuthenticateSigned, currentTokenId } from './access.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_EPOCHS = 10_000
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/**
 * Signature: expiry day or, with a `t`, second; user; the API token that it was made for, if any; MAC:
 * `20600.<uuid>.<43 characters>`. `size=small` follows the signature and isn't signed, because anyone who may load a picture
 * may load a smaller one.
 */
const SIGNED = /^(.+)[?&]signature=(\d{1,9}|t\d{1,12})\.([^.]{36})(?:\.([^.]{36}))?\.([\w-]{43})(?:&size=small)?$/
const SIGNATURE = /[?&]signature=[^&#]*/

/** Contents of a signed URL, unverified until `isGenuine` succeeds. */
interface SignedUrl {
  userId: string
  /** The API token that the URL was made for, whose validity and scopes it shares; null when it was made for a session. */
  tokenId: string | null
  /** True when the signature is valid for the user's current link epoch. */
  isGenuine(linkEpoch: string): boolean
}

/**
 * Signed URLs of files, which browsers can load without an authorization header. Each belongs to its user's link epoch: a
 * new epoch invalidates all earlier URLs.
 */
export interface SignedPaths {
  /**
   * Signs a path with its query for a user. It's valid for one to two days, and stays the same until midnight (UTC), so that
   * browsers can use their cache.
   */
  sign(userId: string, path: string): string
  /** Signs a path for a download that starts now. */
  signForDownload(userId: string, path: string, lifetimeSeconds: number): string
  /** Contents of a request's signed URL; null when it's unsigned, or expired unless that's allowed. */
  read(url: string, mayBeExpired?: boolean): SignedUrl | null
  /** Remembers the epoch of a user who was just authenticated, for signing their URLs. */
  rememberEpoch(userId: string, linkEpoch: string): void
}

/** Signs and reads paths with a key that is derived from the secret for this purpose only. */
export function createSignedPaths(options: { secret: string; now?: () => number }): SignedPaths {
  const { secret, now = () => Date.now() } = options
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mira: signed paths', 32))
  const epochs = new Map<string, string>()
  /** @param holder a user's id, followed by `.` and the id of the API token it's made for, if any. */
  const macOf = (holder: string, linkEpoch: string, validity: string, path: string) =>
    createHmac('sha256', key).update(`${validity}\n${holder}\n${linkEpoch}\n${path}`).digest()

  const write = (userId: string, validity: string, path: string) => {
    // without the user's epoch the signature is invalid, but only users whom this process has authenticated receive URLs from it
    const tokenId = currentTokenId()
    const holder = tokenId === null ? userId : `${userId}.${tokenId}`
    const mac = macOf(holder, epochs.get(userId) ?? '', validity, path).toString('base64url')
    return `${path}${path.includes('?') ? '&' : '?'}signature=${validity}.${holder}.${mac}`
  }
  const isExpired = (validity: string) =>
    validity.startsWith('t') ? Number(validity.slice(1)) * 1000 < now() : Number(validity) < Math.floor(now() / DAY_MS)

  return {
    sign: (userId, path) => write(userId, String(Math.floor(now() / DAY_MS) + 1), path),
    signForDownload: (userId, path, lifetimeSeconds) =>
      write(userId, `t${Math.floor(now() / 1000) + lifetimeSeconds}`, path),

    read(url, mayBeExpired = false) {
      const [, path = '', validity = '', userId = '', tokenId, mac = ''] = SIGNED.exec(url) ?? []
      if (
        !UUID.test(userId) ||
        (tokenId !== undefined && !UUID.test(tokenId)) ||
        (isExpired(validity) && !mayBeExpired)
      )
        return null
      const holder = tokenId === undefined ? userId : `${userId}.${tokenId}`
      const signature = Buffer.from(mac, 'base64url')
      return {
        userId,
        tokenId: tokenId ?? null,
        isGenuine(linkEpoch) {
          const expectedMac = macOf(holder, linkEpoch, validity, path)
          return signature.length === expectedMac.length && timingSafeEqual(signature, expectedMac)
        },
      }
    },

    rememberEpoch(userId, linkEpoch) {
      // keeps the most recently authenticated users
      setBounded(epochs, userId, linkEpoch, MAX_EPOCHS)
    },
  }
}

/** The path without its signature, for storing and sharing it. */
export function withoutSignature(path: string): string {
  return path.replace(SIGNATURE, '')
}

/** Creates the function that loads the user whom a URL was signed for. */
export function createAuthenticateSigned(deps: {
  signedPaths: SignedPaths
  /** Finds a user with their current link epoch; null when the account doesn't exist or is disabled. */
  findSignedUrlHolder: (id: string) => Promise<{ user: User; linkEpoch: string } | null>
  /** Finds the user of an API token; null when the token doesn't exist (any more), or its account is disabled. */
  findTokenHolder: (id: string) => Promise<{ user: User; linkEpoch: string; scopes: TokenScope[] } | null>
}): AuthenticateSigned {
  const { signedPaths, findSignedUrlHolder, findTokenHolder } = deps
  return async (url, traits, isUnderWay) => {
    const signed = signedPaths.read(url, isUnderWay)
    if (signed === null) return null
    const { userId, tokenId } = signed
    const token = tokenId === null ? null : await findTokenHolder(tokenId)
    const holder = tokenId === null ? await findSignedUrlHolder(userId) : token
    if (holder?.user.id !== userId || !signed.isGenuine(holder.linkEpoch)) return null
    const { timeZone = 'UTC', language = 'en' } = traits
    const scopes = token?.scopes ?? null
    return { user: holder.user, via: 'signed', credentialId: tokenId ?? '', scopes, timeZone, language }
  }
}
