import { useQuery } from '@tanstack/react-query'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { EffectPicker } from './effect-picker.tsx'
import { effectsQuery } from './effects-queries.ts'
import { OptionsPanel } from './options-panel.tsx'
import { RecipeBuilder } from './recipe-builder.tsx'
import { ResultsGrid } from './results-grid.tsx'
import { SourcePanel } from './source-panel.tsx'
import { Tips } from './tips.tsx'
import type { Studio } from './use-studio.ts'

/** Choosing a picture and effects for it, and what came of them; the picture stays in sight beside the effects. */
export function CreateTab({ studio }: { studio: Studio }) {
  const effects = useQuery(effectsQuery)
  return (
    <div
      className={classNames(
        'grid grid-cols-1 items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]',
        // Room for the bar at the bottom of a phone.
        studio.picture.source && 'max-lg:pb-24',
      )}
    >
      {/* In a low window the picture scrolls, so that the button that applies stays in sight. */}
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-18 lg:max-h-[calc(100dvh-5.5rem)]">
        <div className="min-h-24 lg:overflow-y-auto lg:scrollbar-none">
          <SourcePanel studio={studio} />
        </div>
        <OptionsPanel studio={studio} available={effects.data ?? null} className="shrink-0" />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        {studio.selection.mode === 'stack' && effects.data && (
          <RecipeBuilder studio={studio} available={effects.data} />
        )}
        <ResultsGrid studio={studio} />
        {effects.data ? (
          <EffectPicker studio={studio} available={effects.data} />
        ) : effects.isError ? (
          <LoadFailed query={effects} className="py-6" />
        ) : (
          <PickerSkeleton />
        )}
        <Tips />
      </div>
    </div>
  )
}

function PickerSkeleton() {
  const text = useText('app')
  return (
    <LoadingRegion label={text('common.loading')} className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-4">
      {Array.from({ length: 12 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are alike and never move
        <Skeleton key={index} className="h-56 rounded-card" />
      ))}
    </LoadingRegion>
  )
}
