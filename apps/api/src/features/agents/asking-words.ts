import type { AgentCandidate } from '@mira/shared'
import type { AgentLanguage } from './agent-kind.ts'

const words: Record<AgentLanguage, { unsure: string; none: string }> = {
  en: {
    unsure: 'I am not sure which agent you mean. It could be one of these; such a command is understood:',
    none: 'There is no agent on this server.',
  },
  es: {
    unsure: 'No estoy seguro de qué agente quieres. Podría ser uno de estos; una orden así se entiende:',
    none: 'No hay ningún agente en este servidor.',
  },
  fr: {
    unsure:
      'Je ne sais pas avec certitude quel agent est visé. Ce pourrait être l’un de ceux-ci ; une telle commande est comprise :',
    none: 'Il n’y a aucun agent sur ce serveur.',
  },
  de: {
    unsure:
      'Ich bin nicht sicher, welcher Agent gemeint ist. Es könnte einer von diesen sein; ein solcher Befehl wird verstanden:',
    none: 'Auf diesem Server gibt es keinen Agenten.',
  },
}

/** Says that no agent was surely meant, and which could be. */
export function unsureText(candidates: AgentCandidate[], language: AgentLanguage): string {
  if (candidates.length === 0) return words[language].none
  const lines = candidates.map(({ name, example }) => `- **${name}**: “${example}”`)
  return `${words[language].unsure}\n\n${lines.join('\n')}`
}
