import type { Language } from '@mira/shared'

/** Who asks the assistant, where they are, and what they may. */
export interface Asker {
  userId: string
  /** Of the person, for texts whose language is unsure. */
  language: Language
  /** IANA name. */
  timeZone: string
  /** Agents may be called for them: by their account, and by the scopes of an API token. */
  canUseAgents: boolean
  /** Their memory may be searched: by their account, and by the scopes of an API token. */
  canSearchMemory: boolean
  /** Anything else stored about them may be read: facts, instructions, other conversations. False for a token without `read`. */
  canReadStored: boolean
  /** Facts about them may be kept. False for a token without `write`. */
  canKeepFacts: boolean
  /** False when they keep their use out of analytics. */
  inAnalytics: boolean
}
