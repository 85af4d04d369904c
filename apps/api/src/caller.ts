import type { Language } from '@mira/shared'

/** The caller of the assistant, with their locale and permissions. */
export interface Caller {
  userId: string
  /** The user's language: assumed for texts whose language can't be detected. */
  language: Language
  /** IANA name. */
  timeZone: string
  /** True when the account, and the scopes of an API token, allow calling agents. */
  canUseAgents: boolean
  /** True when the account, and the scopes of an API token, allow searching the user's memory. */
  canSearchMemory: boolean
  /** True when other stored data may be read: facts, instructions and other conversations. False for a token without `read`. */
  canReadStored: boolean
  /** Id of an API token without `read`, which may only continue conversations that it alone has written; null for other callers. */
  chatTokenId: string | null
  /** True when facts about the user may be remembered. False for a token without `write`. */
  canKeepFacts: boolean
  /** False when the user has opted out of analytics. */
  countsInAnalytics: boolean
}
