import type { TokenScope, User } from '@mira/shared'
import type { Log } from '../../log.ts'
import type { Authenticate, Principal, RequestTraits } from './access.ts'

/** Current data of a credential's holder. */
interface Holder {
  user: User
  timeZone: string
  language: string
  lastUsedAt: Date | null
  linkEpoch: string
}

/** Lookup of sessions and tokens. */
interface Credentials {
  findSession(sessionId: string, userId: string): Promise<Holder | null>
  findToken(token: string): Promise<(Holder & { id: string; scopes: readonly TokenScope[]; audience?: string }) | null>
  /** Records that a credential was used now. */
  touch(used: Credential & Pick<Principal, 'timeZone' | 'language'> & { userId: string }): Promise<void>
}

/** Kind and id of a bearer token. */
interface Credential {
  via: 'session' | 'token'
  credentialId: string
}

type VerifiedCredential = Credential & Pick<Principal, 'scopes' | 'audience'>

const TOUCH_INTERVAL_MS = 60_000

/** Creates the function that authenticates a request, and one that waits for its background writes. */
export function createAuthenticate(deps: {
  /** User and session of a JWT; null when it's invalid or expired. */
  verifyJwt: (token: string) => { userId: string; sessionId: string } | null
  credentials: Credentials
  /** Called for each authenticated user, with the epoch of the URLs that are signed for them. */
  rememberEpoch: (userId: string, linkEpoch: string) => void
  log: Log
}): { authenticate: Authenticate; settle: () => Promise<void> } {
  const { verifyJwt, credentials, rememberEpoch, log } = deps
  /** Pending writes by credential: simultaneous requests with the same values share one write. */
  const touching = new Map<string, { timeZone: string; language: string; write: Promise<void> }>()

  const find = async (token: string): Promise<[VerifiedCredential, Holder] | null> => {
    if (token.startsWith('mira_')) {
      const holder = await credentials.findToken(token)
      if (holder === null) return null
      const { id: credentialId, scopes, audience } = holder
      return [{ via: 'token', credentialId, scopes, audience }, holder]
    }
    const subject = verifyJwt(token)
    const holder = subject && (await credentials.findSession(subject.sessionId, subject.userId))
    return holder && [{ via: 'session', credentialId: subject.sessionId, scopes: null }, holder]
  }

  const touch = ({ via, credentialId }: Credential, { user, timeZone, language }: Principal) => {
    const current = touching.get(credentialId)
    if (current?.timeZone === timeZone && current.language === language) return
    const write = Promise.resolve(current?.write)
      .then(() => credentials.touch({ userId: user.id, via, credentialId, timeZone, language }))
      .catch((error: unknown) => log.warn({ err: error }, 'the last use of an account could not be stored'))
      .finally(() => {
        if (touching.get(credentialId)?.write === write) touching.delete(credentialId)
      })
    touching.set(credentialId, { timeZone, language, write })
  }

  return {
    async authenticate(token, traits) {
      const match = await find(token)
      if (match === null) return null
      const [credential, holder] = match
      rememberEpoch(holder.user.id, holder.linkEpoch)
      const principal: Principal = { ...credential, user: holder.user, ...currentTraits(holder, traits) }
      // the response doesn't wait for the write
      if (isStale(holder, principal)) touch(credential, principal)
      return principal
    },
    async settle() {
      await Promise.all([...touching.values()].map(({ write }) => write))
    },
  }
}

function currentTraits(holder: Holder, traits: RequestTraits): { timeZone: string; language: string } {
  return { timeZone: traits.timeZone ?? holder.timeZone, language: traits.language ?? holder.language }
}

/** True when a write is due: the last one is a minute old, or time zone or language changed. */
function isStale({ user, lastUsedAt, timeZone, language }: Holder, principal: Principal): boolean {
  const oldest = Math.min(lastUsedAt?.getTime() ?? 0, user.last_active_at?.getTime() ?? 0)
  return Date.now() - oldest > TOUCH_INTERVAL_MS || timeZone !== principal.timeZone || language !== principal.language
}
