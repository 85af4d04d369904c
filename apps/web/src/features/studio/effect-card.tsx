import type { EffectCategory, EffectDefinition, EffectName } from '@mira/shared'
import { Brush, Check, Shapes, SlidersHorizontal, Sparkles } from 'lucide-react'
import { useText } from '../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../lib/i18n/sentences.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'

const icons = { artistic: Brush, filter: SlidersHorizontal, stylized: Shapes } satisfies Record<EffectCategory, unknown>

/** One effect: what it makes of the picture, what it is called and does; a press chooses it. */
export function EffectCard(props: EffectCardProps) {
  const { name, title, description, definition, isChosen, place, isFull, isTabStop, onFocus, onChoose } = props
  const text = useText('effects')
  const { available: isAvailable, category, requires_ai: needsAi } = definition
  const isOff = !isAvailable || isFull
  return (
    <button
      type="button"
      data-effect={name}
      aria-pressed={isChosen}
      aria-disabled={isOff || undefined}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={() => !isOff && onChoose()}
      className={classNames(
        'group flex min-w-0 flex-col overflow-hidden rounded-card border bg-surface-raised text-left transition-colors',
        isChosen ? 'border-accent ring-2 ring-accent' : 'border-border',
        isOff ? 'cursor-not-allowed!' : 'hover:border-border-strong',
      )}
    >
      <span className="relative block aspect-4/3 w-full overflow-hidden bg-surface-sunken">
        {isAvailable ? <Picture {...props} category={category} /> : <Reason definition={definition} />}
        {isChosen && (
          <span
            aria-hidden
            className="absolute top-2 right-2 grid h-6 min-w-6 place-items-center rounded-full bg-accent px-1.5 text-12 font-semibold text-on-accent tabular-nums"
          >
            {place === null ? <Check className="size-3.5" strokeWidth={3} /> : place.join(', ')}
          </span>
        )}
      </span>
      <span className="flex flex-1 flex-col p-3">
        <span className="text-14 font-medium">
          {title}
          {place !== null && place.length > 0 && (
            <span className="sr-only">, {text('picker.place', { place: place.join(', ') })}</span>
          )}
        </span>
        <span className="mt-0.5 text-12 text-pretty text-muted">{description}</span>
        <span className="mt-auto flex flex-wrap gap-1 pt-2.5">
          <Badge>{text(`categories.${category}`)}</Badge>
          {needsAi && (
            <Badge tone="ai" icon={<Sparkles aria-hidden />}>
              {text('picker.ai')}
            </Badge>
          )}
        </span>
      </span>
    </button>
  )
}

/** Explains why the effect is unavailable, in place of its missing preview. */
function Reason({ definition }: { definition: EffectDefinition }) {
  const text = useText('effects')
  const reason = useSentenceText()(definition.unavailable_reason ?? '', definition.unavailable_told)
  return (
    <span
      title={reason}
      className="absolute inset-0 grid place-items-center overflow-hidden p-2 text-center text-12 text-pretty text-muted"
    >
      <span className="line-clamp-7 min-w-0 wrap-anywhere">
        <span className="font-medium text-text">{text('picker.unavailable')}</span>
        <br />
        {reason}
      </span>
    </span>
  )
}

function Picture({ preview, isWaiting, category }: PictureProps) {
  if (preview !== null) {
    // A tall picture shows its upper part: there the faces are.
    return (
      <img
        src={preview}
        alt=""
        loading={preview.startsWith('data:') ? 'eager' : 'lazy'}
        decoding="async"
        draggable={false}
        className="absolute inset-0 size-full object-cover object-[50%_20%]"
      />
    )
  }
  if (isWaiting) return <span className="absolute inset-0 animate-pulse bg-pressed" />
  const Icon = icons[category]
  return (
    <span aria-hidden className="absolute inset-0 grid place-items-center text-muted">
      <Icon className="size-7" strokeWidth={1.5} />
    </span>
  )
}

type EffectCardProps = {
  name: EffectName
  title: string
  description: string
  definition: EffectDefinition
  /** The effect on the person's picture, once it is there, or on a sample. */
  preview: string | null
  isWaiting: boolean
  isChosen: boolean
  /** Positions in the stack, counted from 1; null without a stack. */
  place: readonly number[] | null
  /** True when a stack takes no more. */
  isFull: boolean
  /** True for the one card that the Tab key comes to. */
  isTabStop: boolean
  onFocus: () => void
  onChoose: () => void
}
type PictureProps = Pick<EffectCardProps, 'preview' | 'isWaiting'> & { category: EffectCategory }
