import type { AgentView } from '@mira/shared'
import type { AgentName } from '@mira/shared/constants/agents'
import type { Language } from '@mira/shared/constants/languages'
import type { Text } from './i18n.ts'

/** What a text lists that holds several: "12 km in miles|15% of 80". */
export const linesOf = (joined: string): string[] => joined.split('|').map((line) => line.trim())

/** What an agent gives as examples, in a language where it is known in that; the server speaks English. */
export function agentCommands(
  { name, intents }: Pick<AgentView, 'name' | 'intents'>,
  language: Language,
  text: Text<'agents'>,
): string[] {
  // an agent of later has no such text
  const key = `known.${name as AgentName}.commands` as const
  return language !== 'en' && text.has(key) ? linesOf(text(key)) : intents
}
