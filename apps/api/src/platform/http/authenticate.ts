import type { TokenScope, User } from '@mira/shared'
import type { Log } from '../../log.ts'
import type { Authenticate, Principal, RequestTraits } from './access.ts'

/** A credential's holder as the database knows them now. */
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
  /** Remembers that a credential was used now. */
  touch(used: Credential & Pick<Principal, 'timeZone' | 'language'> & { userId: string }): Promise<void>
}

/** Contents of a bearer token. */
interface Credential {
  via: 'session' | 'token'
  credentialId: string
}

type Found = Credential & Pick<Principal, 'scopes' | 'audience'>

const TOUCH_INTERVAL_MS = 60_000

/** Makes the function that finds out who makes a request, and one that waits until what it wrote on the side is done. */
export function createAuthenticate(deps: {
  /** The user and session that a JWT of ours names; null when it is not ours or has expired. */
  verifyJwt: (token: string) => { userId: string; sessionId: string } | null
  credentials: Credentials
  /** Called for each authenticated user: links signed for them next belong to this epoch. */
  rememberEpoch: (userId: string, linkEpoch: string) => void
  log: Log
}): { authenticate: Authenticate; settle: () => Promise<void> } {
  const { verifyJwt, credentials, rememberEpoch, log } = deps
  /** Pending writes by credential: simultaneous requests with the same values share one write. */
  const touching = new Map<string, { timeZone: string; language: string; write: Promise<void> }>()

  const find = async (token: string): Promise<[Found, Holder] | null> => {
    if (token.startsWith('mira_')) {
      const holder = await credentials.findToken(token)
      if (holder === null) return null
      const { id: credentialId, scopes, audience } = holder
      return [{ via: 'token', credentialId, scopes, audience }, holder]
    }
    const named = verifyJwt(token)
    const holder = named && (await credentials.findSession(named.sessionId, named.userId))
    return holder && [{ via: 'session', credentialId: named.sessionId, scopes: null }, holder]
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
      // the answer does not wait for it
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
