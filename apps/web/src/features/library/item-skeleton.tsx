import { useText } from '../../lib/i18n/i18n.ts'
import { LoadingRegion, Skeleton, SkeletonText } from '../../ui/skeleton.tsx'

/** In the shape of an item to come. */
export function ItemSkeleton() {
  const common = useText('app')
  return (
    <LoadingRegion label={common('common.loading')} className="flex flex-1 flex-col gap-6 p-5 @4xl:flex-row">
      <div className="flex-1">
        <Skeleton className="h-[45dvh] rounded-card @4xl:h-[calc(100dvh-10rem)]" />
      </div>
      <div className="@4xl:w-96">
        <Skeleton className="mb-6 h-5 w-40" />
        <SkeletonText lines={6} />
      </div>
    </LoadingRegion>
  )
}
