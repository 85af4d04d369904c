import type { EffectCategory, EffectDefinition, EffectName, EffectsAvailable } from '@mira/shared'
import { RECIPE_MAX_STEPS } from '@mira/shared/constants/effects'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Brush, Check, Shapes, SlidersHorizontal, Sparkles } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../lib/i18n/sentences.ts'
import { useDebouncedValue } from '../../lib/loading/use-debounced-value.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { InlineError } from '../../ui/inline-error.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { previewsQuery, useEffectTexts } from './effects-queries.ts'
import type { PictureSource } from './source.ts'
import type { Studio } from './use-studio.ts'

const icons = { artistic: Brush, filter: SlidersHorizontal, stylized: Shapes } satisfies Record<EffectCategory, unknown>

/** Selectable card of an effect with its preview, name and description. */
function EffectCard(props: EffectCardProps) {
  const { name, title, description, definition, isChosen, positions, isFull, isTabStop, onFocus, onChoose } = props
  const text = useText('effects')
  const { available: isAvailable, category, requires_ai: needsAi } = definition
  const isDisabled = !isAvailable || isFull
  return (
    <button
      type="button"
      data-effect={name}
      aria-pressed={isChosen}
      aria-disabled={isDisabled || undefined}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={() => !isDisabled && onChoose()}
      className={classNames(
        'group flex min-w-0 flex-col overflow-hidden rounded-card border bg-surface-raised text-left transition-colors',
        isChosen ? 'border-accent ring-2 ring-accent' : 'border-border',
        isDisabled ? 'cursor-not-allowed!' : 'hover:border-border-strong',
      )}
    >
      <span className="relative block aspect-4/3 w-full overflow-hidden bg-surface-sunken">
        {isAvailable ? <Picture {...props} category={category} /> : <UnavailableReason definition={definition} />}
        {isChosen && (
          <span
            aria-hidden
            className="absolute top-2 right-2 grid h-6 min-w-6 place-items-center rounded-full bg-accent px-1.5 text-12 font-semibold text-on-accent tabular-nums"
          >
            {positions === null ? <Check className="size-3.5" strokeWidth={3} /> : positions.join(', ')}
          </span>
        )}
      </span>
      <span className="flex flex-1 flex-col p-3">
        <span className="text-14 font-medium">
          {title}
          {positions !== null && positions.length > 0 && (
            <span className="sr-only">, {text('picker.place', { place: positions.join(', ') })}</span>
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
function UnavailableReason({ definition }: { definition: EffectDefinition }) {
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
    // Tall pictures show their upper part, where faces are.
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
  /** Preview on the user's picture once it's ready, or on a sample. */
  preview: string | null
  /** True until the first previews on the user's picture are ready. */
  isWaiting: boolean
  isChosen: boolean
  /** Positions in the stack, counted from 1; null without a stack. */
  positions: readonly number[] | null
  /** True when the stack is full. */
  isFull: boolean
  /** True for the one card that Tab reaches. */
  isTabStop: boolean
  onFocus: () => void
  onChoose: () => void
}
type PictureProps = Pick<EffectCardProps, 'preview' | 'isWaiting'> & { category: EffectCategory }

/** Subset of `Element` that is needed to find neighbouring cards. */
type HasBounds = { getBoundingClientRect: () => Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'> }

/** Card that an arrow key, Home or End moves to; null if there is none, and for other keys. */
export function nextCard<Card extends HasBounds & Partial<Pick<Element, 'contains'>>>(
  {
    key,
    target,
    altKey,
    ctrlKey,
    metaKey,
  }: Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey'> & { target: unknown },
  cards: readonly Card[],
): Card | null {
  if (altKey || ctrlKey || metaKey) return null
  const index = cards.indexOf(target as Card)
  if (index === -1) return null
  if (key === 'Home') return cards[0] ?? null
  if (key === 'End') return cards.at(-1) ?? null
  if (key === 'ArrowRight') return cards[index + 1] ?? null
  if (key === 'ArrowLeft') return cards[index - 1] ?? null
  if (key === 'ArrowDown') return nearestInRow(cards.slice(index + 1), cards[index] as Card, 'down')
  if (key === 'ArrowUp') return nearestInRow(cards.slice(0, index).reverse(), cards[index] as Card, 'up')
  return null
}

/** Card in the row above or below with the nearest horizontal position; null if there's no such row. */
function nearestInRow<Card extends HasBounds>(
  others: readonly Card[],
  from: Card,
  direction: 'up' | 'down',
): Card | null {
  const box = from.getBoundingClientRect()
  const centre = (box.left + box.right) / 2
  let rowTop: number | null = null
  let best: { card: Card; distance: number } | null = null
  for (const card of others) {
    const { left, right, top, bottom } = card.getBoundingClientRect()
    if (direction === 'down' ? top < box.bottom - 1 : bottom > box.top + 1) continue
    rowTop ??= top
    if (Math.abs(top - rowTop) > 1) break
    const distance = Math.abs((left + right) / 2 - centre)
    if (best === null || distance < best.distance) best = { card, distance }
  }
  return best?.card ?? null
}

/** Samples created with the effects by `scripts/effect-samples.mjs`. */
const sampleUrls = import.meta.glob<string>('./samples/*.webp', { eager: true, query: '?url', import: 'default' })

/** URL of the sample shown until the user has chosen a picture; null for effects that need a model. */
export const sampleOf = (name: EffectName): string | null => sampleUrls[`./samples/${name}.webp`] ?? null

const INTENSITY_DEBOUNCE_MS = 300
const categories = ['artistic', 'filter', 'stylized'] as const

/** All effects by category, previewed on the user's picture or on a sample; arrow keys move between the cards. */
export function EffectPicker({ studio, available }: EffectPickerProps) {
  const text = useText('effects')
  const effectTexts = useEffectTexts()
  const id = useId()
  const cards = useRef<HTMLDivElement>(null)
  const { selection, chosenNames: effectNames, choose } = studio
  const { source } = studio.picture
  const intensity = useDebouncedValue(studio.intensity, INTENSITY_DEBOUNCE_MS)
  const previews = usePreviews(source, intensity)
  const groups = categories.map((category) => ({
    category,
    names: (available.categories[category] ?? []).filter((name) => available.effects[name]),
  }))
  const firstName = groups.flatMap(({ names }) => names)[0]
  const [tabStop, setTabStop] = useState<EffectName | null>(null)
  const isFull = selection.mode === 'stack' && selection.steps.length >= RECIPE_MAX_STEPS

  const move = (event: KeyboardEvent) => {
    const next = nextCard(event, [...(cards.current?.querySelectorAll<HTMLElement>('[data-effect]') ?? [])])
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div ref={cards}>
      {source === null && <p className="mb-4 text-13 text-muted">{text('picker.sample')}</p>}
      <PreviewState previews={previews} />
      {groups.map(({ category, names }) => {
        if (names.length === 0) return null
        return (
          <section key={category} aria-labelledby={`${id}-${category}`} className="mb-7 last:mb-0">
            <h2 id={`${id}-${category}`} className="mb-3 text-16 font-semibold">
              {text(`groups.${category}`)}
            </h2>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between its buttons */}
            <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-4" onKeyDown={move}>
              {names.map((name) => {
                const definition = available.effects[name]
                return (
                  <EffectCard
                    key={name}
                    name={name}
                    title={effectTexts.name(name, definition)}
                    description={effectTexts.description(name, definition)}
                    definition={definition}
                    preview={source === null ? sampleOf(name) : (previews.data?.[name] ?? null)}
                    isWaiting={source !== null && previews.isFetching && !previews.data}
                    isChosen={effectNames.includes(name)}
                    positions={selection.mode === 'stack' ? positionsOf(effectNames, name) : null}
                    isFull={isFull}
                    isTabStop={name === (tabStop ?? firstName)}
                    onFocus={() => setTabStop(name)}
                    onChoose={() => choose(name)}
                  />
                )
              })}
            </div>
          </section>
        )
      })}
    </div>
  )
}

/** Previews by effect; a new picture starts without any, a new intensity keeps the old ones until its own are ready. */
function usePreviews(source: PictureSource | null, intensity: number) {
  const sourceKey = source?.key
  const query = useQuery({
    ...(source ? previewsQuery(source, intensity) : { queryKey: ['effects', 'previews', 'none'], queryFn: () => ({}) }),
    enabled: source !== null,
    placeholderData: (previous, previousQuery) =>
      previousQuery?.queryKey[2] === sourceKey ? keepPreviousData(previous) : undefined,
    refetchOnWindowFocus: false,
  })
  return query
}

function PreviewState({ previews }: { previews: ReturnType<typeof usePreviews> }) {
  const text = useText('effects')
  const common = useText('app')
  const errorText = useErrorText()
  if (previews.isError) {
    return (
      <InlineError
        className="mb-4"
        text={text('previews.failed', { reason: errorText(previews.error) })}
        retryLabel={common('common.retry')}
        retrying={previews.isFetching}
        onRetry={() => void previews.refetch()}
      />
    )
  }
  return (
    <p
      role="status"
      className={
        previews.isFetching
          ? 'pointer-events-none sticky top-17 z-1 mb-4 ml-auto flex w-fit appear-late items-center gap-2 rounded-full border border-border-float bg-surface-overlay px-3 py-1 text-12 text-muted'
          : 'sr-only'
      }
    >
      {previews.isFetching && (
        <>
          <Spinner size="sm" />
          {text('previews.making')}
        </>
      )}
    </p>
  )
}

/** Positions of an effect in the stack, counted from 1. */
function positionsOf(effectNames: readonly EffectName[], name: EffectName): number[] {
  return effectNames.flatMap((other, index) => (other === name ? [index + 1] : []))
}

type EffectPickerProps = { studio: Studio; available: EffectsAvailable }
