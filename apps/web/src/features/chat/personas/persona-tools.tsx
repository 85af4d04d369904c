import { agentNames, answerToolNames } from '@mira/shared/constants/agents'
import { useQuery } from '@tanstack/react-query'
import { useText } from '../../../lib/i18n.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { personaToolsQuery } from './personas-query.ts'

const builtIn: readonly string[] = [...agentNames, ...answerToolNames]

/** Tools allowed for a persona: agents, built-in tools, and tools of connected servers. */
export function PersonaTools({ tools, onChange }: PersonaToolsProps) {
  const text = useText('personas')
  const { data: offered = [] } = useQuery(personaToolsQuery)
  // one whose server is away just now stays allowed
  const connected = [...new Set([...offered, ...(tools ?? [])])].filter((name) => !builtIn.includes(name))
  const all = [...builtIn, ...connected]
  const isAllowed = (name: string) => tools === null || tools.includes(name)
  const allow = (name: string, allowed: boolean) => {
    const chosen = all.filter((other) => (other === name ? allowed : isAllowed(other)))
    onChange(chosen.length === all.length ? null : chosen)
  }
  const box = (name: string, label: string) => (
    <Checkbox key={name} label={label} checked={isAllowed(name)} onCheckedChange={(allowed) => allow(name, allowed)} />
  )
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-13 font-medium">{text('tools')}</legend>
      {answerToolNames.map((name) => box(name, text(`answerTools.${name}`)))}
      {agentNames.map((name) => box(name, text(`agents.${name}`)))}
      {connected.map((name) => box(name, name))}
    </fieldset>
  )
}

type PersonaToolsProps = {
  /** Null for all. */
  tools: readonly string[] | null
  onChange: (tools: readonly string[] | null) => void
}
