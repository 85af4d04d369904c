import type { AgentView } from '@mira/shared'
import { BellRing, Bot, Calculator, CloudSun, FolderSearch, type LucideIcon, Newspaper } from 'lucide-react'
import { useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { agentCommands, linesOf } from '../../../lib/session/agent-commands.ts'

/** Built-in agents, whose texts are translated; `isWriting` for those that create or change something. */
const agentIcons = {
  WeatherAgent: { Icon: CloudSun, isWriting: false },
  CalculatorAgent: { Icon: Calculator, isWriting: false },
  FileAgent: { Icon: FolderSearch, isWriting: false },
  NewsAgent: { Icon: Newspaper, isWriting: false },
  ReminderAgent: { Icon: BellRing, isWriting: true },
} as const satisfies Record<string, { Icon: LucideIcon; isWriting: boolean }>

type KnownName = keyof typeof agentIcons

function isKnown(name: string): name is KnownName {
  return Object.hasOwn(agentIcons, name)
}

export function agentIcon(name: string): LucideIcon {
  return isKnown(name) ? agentIcons[name].Icon : Bot
}

/** True for agents that create or change something: their examples are put into the field instead of being run. */
export function isWriting(name: string): boolean {
  return isKnown(name) && agentIcons[name].isWriting
}

/** Maximum number of example commands on a card. */
const MAX_COMMANDS = 3

/** Texts on an agent's card. */
interface AgentWords {
  description: string
  capabilities: string[]
  commands: string[]
}

/** An agent's texts in the user's language; the server sends English ones. */
export function useAgentWords(): (agent: AgentView) => AgentWords {
  const text = useText('agents')
  const language = useLanguage()
  return (agent) => {
    const { name, description, capabilities } = agent
    const commands = agentCommands(agent, language, text).slice(0, MAX_COMMANDS)
    if (language === 'en' || !isKnown(name)) return { description, capabilities, commands }
    return {
      description: text(`known.${name}.description`),
      capabilities: linesOf(text(`known.${name}.capabilities`)),
      commands,
    }
  }
}
