import type { Language } from '@mira/shared'

/** The caller of the assistant, with their locale and permissions. */
export interface Caller {
  userId: string
  /** The user's own, for texts in an uncertain language. */
  language: Language
  /** IANA name. */
  timeZone: string
  /** Agents may be called for them: by their account, and by the scopes of an API token. */
  canUseAgents: boolean
  /** Their memory may be searched: by their account, and by the scopes of an API token. */
  canSearchMemory: boolean
  /** Anything else stored about them may be read: facts, instructions, other conversations. False for a token without `read`. */
  canReadStored: boolean
  /** The API token without `read` that let them in; it may continue only what it alone has written. */
  chatTokenId: string | null
  /** Facts about them may be kept. False for a token without `write`. */
  canKeepFacts: boolean
  /** False when they keep their use out of analytics. */
  inAnalytics: boolean
}
