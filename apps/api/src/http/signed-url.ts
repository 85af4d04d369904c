import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { User } from '@mira/shared'
import type { AuthenticateSigned } from './auth.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const USER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Day, user, and the authentication code: `20600.<uuid>.<43 characters>`. */
const SIGNED = /^(.+)[?&]signature=(\d{1,9})\.([^.]{36})\.([\w-]{43})$/

/**
 * Addresses of files that a browser can load without a header, because they name the user that they were made for and
 * nobody can make or change one.
 */
export interface SignedPaths {
  /**
   * Signs a path with its query for a user. It opens for at least one day more and at most two, and stays the same until
   * midnight (UTC), so that browsers find the file in their cache.
   */
  sign(userId: string, path: string): string
  /** The user whom the address of a request was signed for; null when it is not signed by us, was changed, or is over. */
  read(url: string): { userId: string } | null
}

/** Makes and reads signed paths with a key that is derived from the secret and is of no use for anything else. */
export function createSignedPaths({ secret, now = Date.now }: { secret: string; now?: () => number }): SignedPaths {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mira: signed paths', 32))
  const codeOf = (userId: string, lastDay: number, path: string) =>
    createHmac('sha256', key).update(`${lastDay}\n${userId}\n${path}`).digest()

  return {
    sign(userId, path) {
      const lastDay = Math.floor(now() / DAY_MS) + 1
      const code = codeOf(userId, lastDay, path).toString('base64url')
      return `${path}${path.includes('?') ? '&' : '?'}signature=${lastDay}.${userId}.${code}`
    },

    read(url) {
      const [, path = '', day = '', userId = '', code = ''] = SIGNED.exec(url) ?? []
      if (!USER_ID.test(userId)) return null
      const lastDay = Number(day)
      const given = Buffer.from(code, 'base64url')
      const wanted = codeOf(userId, lastDay, path)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
      return lastDay >= Math.floor(now() / DAY_MS) ? { userId } : null
    },
  }
}

/** Makes the function that finds out who a signed address was made for, as the database knows them now. */
export function createAuthenticateSigned(deps: {
  signedPaths: SignedPaths
  findUser: (id: string) => Promise<User | null>
}): AuthenticateSigned {
  const { signedPaths, findUser } = deps
  return async (url, traits) => {
    const signed = signedPaths.read(url)
    const user = signed && (await findUser(signed.userId))
    if (!user?.is_active) return null
    const { timeZone = 'UTC', language = 'en' } = traits
    return { user, via: 'token', credentialId: '', timeZone, language }
  }
}
