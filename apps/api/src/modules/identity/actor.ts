/**
 * A signed-in user changing an account, with the session and IP address that the audit log and confirmations need.
 * `Principal` is the same user for HTTP routes; `Caller` for the assistant, with permissions and language.
 */
export interface Actor {
  userId: string
  sessionId: string
  /** IP address. */
  address: string
  /** False when the user opted out of analytics. */
  countsInAnalytics: boolean
}

/** Origin of an attempt to sign in, before the user is known. */
export interface Visitor {
  /** IP address. */
  address: string
  userAgent: string
  countsInAnalytics: boolean
}

/** Actor fields of an audit entry caused by a signed-in user. */
export const byActor = ({ userId, address }: Pick<Actor, 'userId' | 'address'>) =>
  ({ actorId: userId, via: 'session', address }) as const
