import type { Language } from '@mira/shared/constants/languages'
import { fetchAgents } from '../api/agents.ts'
import { agentCommands } from '../lib/agent-commands.ts'
import { textsOf } from '../lib/i18n.ts'

/** Example commands of an agent. */
export interface AgentCommands {
  name: string
  commands: string[]
}

/** Example commands of every agent, in the user's language. */
export async function commandsByAgent(language: Language, signal: AbortSignal): Promise<AgentCommands[]> {
  const [agents, text] = await Promise.all([fetchAgents(signal), textsOf(language, 'agents')])
  return agents.map((agent) => ({ name: agent.name, commands: agentCommands(agent, language, text) }))
}
