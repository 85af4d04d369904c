import type { Language } from '@mira/shared/words/languages'
import { fetchAgents } from '../api/agents.ts'
import { textsOf } from '../lib/i18n.ts'

/** What a person may say to an agent. */
export interface AgentCommands {
  name: string
  commands: string[]
}

/** Of every agent what it gives as examples, in a language where it is known in that; the server speaks English. */
export async function commandsByAgent(language: Language, signal: AbortSignal): Promise<AgentCommands[]> {
  const [agents, text] = await Promise.all([fetchAgents(signal), textsOf(language, 'agents')])
  return agents.map(({ name, intents }) => {
    const key = `known.${name}.commands` as 'known.WeatherAgent.commands'
    const isTold = language !== 'en' && text.has(key)
    return {
      name,
      commands: isTold
        ? text(key)
            .split('|')
            .map((line) => line.trim())
        : intents,
    }
  })
}
