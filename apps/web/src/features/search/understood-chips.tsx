import type { UnderstoodPhraseJson } from '@mira/shared'
import { CalendarDays, Shapes, Undo2, X } from 'lucide-react'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'

/** Chips for phrases understood as a time or type; a click treats them as plain words, another one undoes that. */
export function UnderstoodChips({ phrases, literal, onLiteral }: UnderstoodChipsProps) {
  const text = useText('memory')
  const meaningOf = useMeaning()
  if (phrases.length === 0 && literal.length === 0) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are no fields of a form
    <div role="group" aria-label={text('understood.title')} className="mb-4 flex flex-wrap gap-2">
      {phrases.map((phrase) => (
        <Chip key={phrase.text} does={text('understood.remove')} onPress={() => onLiteral([...literal, phrase.text])}>
          {phrase.kind === 'time' ? <CalendarDays aria-hidden /> : <Shapes aria-hidden />}
          <span className="min-w-0 truncate">
            {text('understood.phrase', { phrase: phrase.text, meaning: meaningOf(phrase) })}
          </span>
          <X aria-hidden />
        </Chip>
      ))}
      {literal.map((phrase) => (
        <Chip
          key={phrase}
          isOff
          does={text('understood.restore')}
          onPress={() => onLiteral(literal.filter((one) => one !== phrase))}
        >
          <span className="min-w-0 truncate">{text('understood.asWords', { phrase })}</span>
          <Undo2 aria-hidden />
        </Chip>
      ))}
    </div>
  )
}

/** Describes the interpretation of a phrase. */
function useMeaning(): (phrase: UnderstoodPhraseJson) => string {
  const text = useText('memory')
  const format = useFormat()
  return ({ media_types, from, to }) => {
    if (media_types) return format.list(media_types.map((type) => text(`types.${type}`)))
    if (from !== undefined && to !== undefined) return format.days(from, to)
    if (from !== undefined) return text('understood.since', { day: format.date(from) })
    return to === undefined ? '' : text('understood.before', { day: format.date(to) })
  }
}

function Chip({ does, isOff = false, onPress, children }: ChipProps) {
  return (
    <button
      type="button"
      title={does}
      onClick={onPress}
      className={classNames(
        'inline-flex h-8 max-w-full touch-target items-center gap-1.5 rounded-full border px-3 text-13 font-medium transition-colors [&_svg]:size-4 [&_svg]:shrink-0',
        isOff
          ? 'border-dashed border-border-strong text-muted shade-on-hover'
          : 'border-accent bg-accent-soft text-accent-text',
      )}
    >
      {children}
      <VisuallyHidden>({does})</VisuallyHidden>
    </button>
  )
}

type ChipProps = {
  /** Description of the click's effect. */
  does: string
  isOff?: boolean
  onPress: () => void
  children: React.ReactNode
}
type UnderstoodChipsProps = {
  phrases: readonly UnderstoodPhraseJson[]
  /** Phrases that are searched as words. */
  literal: readonly string[]
  onLiteral: (literal: readonly string[]) => void
}
