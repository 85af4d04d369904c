import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { TokenScope, User } from '@mira/shared'
import { setBounded } from '../lib/bounded-map.ts'
import { type AuthenticateSigned, currentTokenId } from './access.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const EPOCHS_REMEMBERED = 10_000
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/**
 * Last day or, with a `t`, last second; user; the API token that it was made for, if any; authentication code:
 * `20600.<uuid>.<43 characters>`. Whoever may load a picture may have it made smaller: that is asked for after the signature,
 * and is no part of what is signed.
 */
const SIGNED = /^(.+)[?&]signature=(\d{1,9}|t\d{1,12})\.([^.]{36})(?:\.([^.]{36}))?\.([\w-]{43})(?:&size=small)?$/
const SIGNATURE = /[?&]signature=[^&#]*/

/** Contents of a signed address, unverified until `isGenuine` succeeds. */
interface SignedAddress {
  userId: string
  /** The API token that it was made for, with which it ends and whose scopes it has; null for a session's. */
  tokenId: string | null
  /** True when this server signed it for the user in their current link epoch. */
  isGenuine(linkEpoch: string): boolean
}

/**
 * Addresses of files that a browser can load without a header, because they name the user that they were made for and
 * nobody can make or change one. Each belongs to an epoch of its user: when that moves, all of theirs are over.
 */
export interface SignedPaths {
  /**
   * Signs a path with its query for a user. It opens for at least one day more and at most two, and stays the same until
   * midnight (UTC), so that browsers find the file in their cache.
   */
  sign(userId: string, path: string): string
  /** Signs a path for a download that begins now. */
  ticket(userId: string, path: string, lifetimeSeconds: number): string
  /** Contents of a request's signed address; null when it's unsigned, or expired unless it may be. */
  read(url: string, mayBeOver?: boolean): SignedAddress | null
  /** Keeps the epoch of a user who has just been let in: what is signed for them next belongs to it. */
  rememberEpoch(userId: string, linkEpoch: string): void
}

/** Makes and reads signed paths with a key that is derived from the secret and is of no use for anything else. */
export function createSignedPaths(options: { secret: string; now?: () => number }): SignedPaths {
  const { secret, now = () => Date.now() } = options
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mira: signed paths', 32))
  const epochs = new Map<string, string>()
  /** @param holder a user's id, followed by `.` and the id of an API token where it is made for one. */
  const codeOf = (holder: string, linkEpoch: string, validity: string, path: string) =>
    createHmac('sha256', key).update(`${validity}\n${holder}\n${linkEpoch}\n${path}`).digest()

  const write = (userId: string, validity: string, path: string) => {
    // a user this process hasn't authenticated sees nothing of it: an address that opens nothing will do
    const tokenId = currentTokenId()
    const holder = tokenId === null ? userId : `${userId}.${tokenId}`
    const code = codeOf(holder, epochs.get(userId) ?? '', validity, path).toString('base64url')
    return `${path}${path.includes('?') ? '&' : '?'}signature=${validity}.${holder}.${code}`
  }
  const isOver = (validity: string) =>
    validity.startsWith('t') ? Number(validity.slice(1)) * 1000 < now() : Number(validity) < Math.floor(now() / DAY_MS)

  return {
    sign: (userId, path) => write(userId, String(Math.floor(now() / DAY_MS) + 1), path),
    ticket: (userId, path, lifetimeSeconds) => write(userId, `t${Math.floor(now() / 1000) + lifetimeSeconds}`, path),

    read(url, mayBeOver = false) {
      const [, path = '', validity = '', userId = '', tokenId, code = ''] = SIGNED.exec(url) ?? []
      if (!UUID.test(userId) || (tokenId !== undefined && !UUID.test(tokenId)) || (isOver(validity) && !mayBeOver))
        return null
      const holder = tokenId === undefined ? userId : `${userId}.${tokenId}`
      const signature = Buffer.from(code, 'base64url')
      return {
        userId,
        tokenId: tokenId ?? null,
        isGenuine(linkEpoch) {
          const expectedCode = codeOf(holder, linkEpoch, validity, path)
          return signature.length === expectedCode.length && timingSafeEqual(signature, expectedCode)
        },
      }
    },

    rememberEpoch(userId, linkEpoch) {
      // those who were let in last stay
      setBounded(epochs, userId, linkEpoch, EPOCHS_REMEMBERED)
    },
  }
}

/** The path as it is kept and told to others: what opens it is no part of it. */
export function withoutSignature(path: string): string {
  return path.replace(SIGNATURE, '')
}

/** Makes the function that finds out who a signed address was made for, as the database knows them now. */
export function createAuthenticateSigned(deps: {
  signedPaths: SignedPaths
  /** Null when there is no such account or it is disabled. */
  findLinkHolder: (id: string) => Promise<{ user: User; linkEpoch: string } | null>
  /** Null when there is no such API token (any more), or its account is disabled. */
  findTokenHolder: (id: string) => Promise<{ user: User; linkEpoch: string; scopes: TokenScope[] } | null>
}): AuthenticateSigned {
  const { signedPaths, findLinkHolder, findTokenHolder } = deps
  return async (url, traits, isUnderWay) => {
    const signed = signedPaths.read(url, isUnderWay)
    if (signed === null) return null
    const { userId, tokenId } = signed
    const token = tokenId === null ? null : await findTokenHolder(tokenId)
    const holder = tokenId === null ? await findLinkHolder(userId) : token
    if (holder?.user.id !== userId || !signed.isGenuine(holder.linkEpoch)) return null
    const { timeZone = 'UTC', language = 'en' } = traits
    const scopes = token?.scopes ?? null
    return { user: holder.user, via: 'signed', credentialId: tokenId ?? '', scopes, timeZone, language }
  }
}
