import { useText } from '../lib/i18n/i18n.ts'
import { LoadingRegion, Skeleton } from '../ui/skeleton.tsx'

/** Placeholder for a screen while its code is loading. */
export function ScreenSkeleton({ isFull }: { isFull: boolean }) {
  const text = useText('app')
  if (isFull) {
    return (
      <LoadingRegion label={text('common.loading')} className="h-below-bar">
        {null}
      </LoadingRegion>
    )
  }
  return (
    <LoadingRegion label={text('common.loading')} className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-8">
      <Skeleton className="h-7 w-56" />
      <Skeleton className="mt-3 h-4 w-80 max-w-full" />
      <Skeleton className="mt-8 h-64 rounded-card" />
    </LoadingRegion>
  )
}
