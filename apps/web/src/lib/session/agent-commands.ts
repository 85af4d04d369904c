import type { AgentView } from '@mira/shared'
import type { AgentName } from '@mira/shared/constants/agents'
import type { Language } from '@mira/shared/constants/languages'
import type { Text } from '../i18n/i18n.ts'

/** Lines of a text that are joined by "|": "12 km in miles|15% of 80". */
export const linesOf = (joined: string): string[] => joined.split('|').map((line) => line.trim())

/**
 * Example commands of an agent, translated for the agents that have texts in that language; otherwise the server's
 * English ones.
 */
export function agentCommands(
  { name, intents }: Pick<AgentView, 'name' | 'intents'>,
  language: Language,
  text: Text<'agents'>,
): string[] {
  // a newer agent has no such text
  const key = `known.${name as AgentName}.commands` as const
  return language !== 'en' && text.has(key) ? linesOf(text(key)) : intents
}
