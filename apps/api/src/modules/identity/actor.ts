/**
 * A signed-in user changing an account, with what the audit log and confirmations need: the session and where it comes
 * from. `Principal` is the same user as HTTP knows them, `Caller` as the assistant does, with permissions and language.
 */
export interface Actor {
  userId: string
  sessionId: string
  /** IP address. */
  address: string
  /** False when the user keeps their use out of analytics. */
  inAnalytics: boolean
}

/** Origin of an attempt to sign in, before the user is known. */
export interface Visitor {
  /** IP address. */
  address: string
  userAgent: string
  inAnalytics: boolean
}

/** Actor fields of an audit line caused by a signed-in user. */
export const byActor = ({ userId, address }: Pick<Actor, 'userId' | 'address'>) =>
  ({ actorId: userId, via: 'session', address }) as const
