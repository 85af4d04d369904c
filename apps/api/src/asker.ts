import type { Language } from '@mira/shared'

/** Who asks the assistant, where they are, and what they may. */
export interface Asker {
  userId: string
  /** Of the person, for texts whose language is unsure. */
  language: Language
  /** IANA name. */
  timeZone: string
  /** Whether agents may be called for them. */
  canUseAgents: boolean
  /** Whether their memory may be looked into. */
  canSearchMemory: boolean
  /** False when they keep their use out of analytics. */
  inAnalytics: boolean
}
