import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'

const names = [
  'vectors_text',
  'vectors_image',
  'failed_steps',
  'orphans',
  'verify',
  'known_items',
  'intents',
  'tags',
  'dataset',
  'training',
] as const

/** Puts the machine word of a step into words; that of a newer server is shown as it is. */
export function useStepName(): (word: string) => string {
  const text = useText('automation')
  const format = useFormat()
  return (word) => {
    const name = names.find((one) => one === word)
    if (name) return text(`stepNames.${name}`)
    const [, date] = /^week (\d{4}-\d{2}-\d{2})$/.exec(word) ?? []
    return date ? text('stepNames.week', { date: format.date(`${date}T12:00:00Z`) }) : word
  }
}
