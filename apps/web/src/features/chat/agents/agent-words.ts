import type { AgentView } from '@mira/shared'
import { BellRing, Bot, Calculator, CloudSun, FolderSearch, type LucideIcon, Newspaper } from 'lucide-react'
import { useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { agentCommands, linesOf } from '../../../lib/session/agent-commands.ts'

/** Built-in agents, whose texts are translated; `isWriting` marks the agents that create or change something. */
const builtInAgents = {
  WeatherAgent: { Icon: CloudSun, isWriting: false },
  CalculatorAgent: { Icon: Calculator, isWriting: false },
  FileAgent: { Icon: FolderSearch, isWriting: false },
  NewsAgent: { Icon: Newspaper, isWriting: false },
  ReminderAgent: { Icon: BellRing, isWriting: true },
} as const satisfies Record<string, { Icon: LucideIcon; isWriting: boolean }>

type BuiltInName = keyof typeof builtInAgents

function isBuiltIn(name: string): name is BuiltInName {
  return Object.hasOwn(builtInAgents, name)
}

export function agentIcon(name: string): LucideIcon {
  return isBuiltIn(name) ? builtInAgents[name].Icon : Bot
}

/** True for agents that create or change something. Their examples are put into the input field instead of being run. */
export function changesData(name: string): boolean {
  return isBuiltIn(name) && builtInAgents[name].isWriting
}

/** Maximum number of example commands on a card. */
const MAX_COMMANDS = 3

/** Texts on an agent's card. */
interface AgentWords {
  description: string
  capabilities: string[]
  commands: string[]
}

/** An agent's texts in the user's language; the server's texts are in English. */
export function useAgentWords(): (agent: AgentView) => AgentWords {
  const text = useText('agents')
  const language = useLanguage()
  return (agent) => {
    const { name, description, capabilities } = agent
    const commands = agentCommands(agent, language, text).slice(0, MAX_COMMANDS)
    if (language === 'en' || !isBuiltIn(name)) return { description, capabilities, commands }
    return {
      description: text(`known.${name}.description`),
      capabilities: linesOf(text(`known.${name}.capabilities`)),
      commands,
    }
  }
}
