import type { EffectName, EffectsAvailable } from '@mira/shared'
import { RECIPE_MAX_STEPS } from '@mira/shared/constants/limits'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { InlineError } from '../../ui/inline-error.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { nextCard } from './card-keys.ts'
import { EffectCard } from './effect-card.tsx'
import { sampleOf } from './effect-samples.ts'
import { useEffectTexts } from './effect-texts.ts'
import { previewsQuery } from './effects-queries.ts'
import type { PictureSource } from './source.ts'
import type { Studio } from './use-studio.ts'

const INTENSITY_SETTLES_MS = 300
const categories = ['artistic', 'filter', 'stylized'] as const

/** Every effect on the person's own picture, before there is one on a sample, by category; the arrow keys move between the cards. */
export function EffectPicker({ studio, available }: EffectPickerProps) {
  const text = useText('effects')
  const effectTexts = useEffectTexts()
  const id = useId()
  const cards = useRef<HTMLDivElement>(null)
  const { selection, chosen, choose } = studio
  const { source } = studio.picture
  const intensity = useSettled(studio.intensity)
  const previews = usePreviews(source, intensity)
  const groups = categories.map((category) => ({
    category,
    names: (available.categories[category] ?? []).filter((name) => available.effects[name]),
  }))
  const first = groups.flatMap(({ names }) => names)[0]
  const [stop, setStop] = useState<EffectName | null>(null)
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
            {/* biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the buttons in it */}
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
                    isChosen={chosen.includes(name)}
                    place={selection.mode === 'stack' ? placesOf(chosen, name) : null}
                    isFull={isFull}
                    isTabStop={name === (stop ?? first)}
                    onFocus={() => setStop(name)}
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

/** Another picture begins with none; another intensity keeps those of the last one until its own are there. */
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
function placesOf(chosen: readonly EffectName[], name: EffectName): number[] {
  return chosen.flatMap((other, index) => (other === name ? [index + 1] : []))
}

/** A value once it has not changed for a moment. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), INTENSITY_SETTLES_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

type EffectPickerProps = { studio: Studio; available: EffectsAvailable }
