import { can } from '@mira/shared/access'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowRight, Loader, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router-dom'
import { fetchLibrary } from '../../lib/api/library.ts'
import { RelativeTime } from '../../lib/components/relative-time.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { type ClientEvent, useUserEvents } from '../../lib/loading/event-stream.ts'
import { useThrottledAction } from '../../lib/loading/use-throttled-action.ts'
import { paths } from '../../lib/session/paths.ts'
import { useUser } from '../../lib/session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { ItemPicture } from './item-face.tsx'
import { type GridItem, toGridItem } from './library-items.ts'

const MAX_SHOWN = 6
const gridClass = 'grid grid-cols-3 gap-3 lg:grid-cols-6'
const refreshingEvents: ReadonlySet<ClientEvent['type']> = new Set([
  ...(['media.updated', 'media.done', 'media.failed', 'events.resumed'] as const),
])

const recentlyAddedQuery = queryOptions({
  queryKey: ['gallery', 'recently-added'],
  queryFn: async ({ signal }) => {
    const page = await fetchLibrary({ sort: 'added', limit: MAX_SHOWN, cursor: null }, signal)
    return page.media_items.map((item) => ({ ...toGridItem(item), addedAt: item.metadata.created_at }))
  },
  staleTime: 0,
})

/** Newest items with their thumbnails and links; hidden while there are none. */
export function RecentlyAdded() {
  const text = useText('gallery')
  const mayUpload = can(useUser(), 'upload')
  const queryClient = useQueryClient()
  const refreshSoon = useThrottledAction(
    () => void queryClient.invalidateQueries({ queryKey: recentlyAddedQuery.queryKey }),
  )
  useUserEvents((event) => {
    if (refreshingEvents.has(event.type)) refreshSoon()
  })
  const { data: items, isPending } = useQuery({ ...recentlyAddedQuery, enabled: mayUpload })
  if (!mayUpload || (!isPending && !items?.length)) return null
  return (
    <Card>
      <CardHeader
        title={text('cameIn.title')}
        actions={
          <Link to={paths.gallery} className={buttonClass({ variant: 'ghost', size: 'sm', className: '-my-1 -mr-2' })}>
            {text('cameIn.all')}
            <ArrowRight aria-hidden />
          </Link>
        }
      />
      {items ? (
        <ul aria-label={text('cameIn.title')} className={gridClass}>
          {items.map((item) => (
            <li key={item.id} className="min-w-0">
              <Item item={item} />
            </li>
          ))}
        </ul>
      ) : (
        <LoadingRegion label={text('cameIn.loading')} className={gridClass}>
          {Array.from({ length: MAX_SHOWN }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are alike and never move
            <div key={index}>
              <Skeleton className="aspect-square rounded-card" />
              <Skeleton className="mt-2 h-3.5 w-3/4" />
              <Skeleton className="mt-1.5 h-3 w-1/2" />
            </div>
          ))}
        </LoadingRegion>
      )}
    </Card>
  )
}

function Item({ item }: { item: GridItem & { addedAt: string } }) {
  const text = useText('gallery')
  const { id, name, status, addedAt } = item
  const isFailed = status === 'failed'
  const isReady = status === 'completed'
  return (
    <Link to={`${paths.gallery}/${id}`} className="group block rounded-card focus-visible:outline-offset-3">
      <span className="relative block aspect-square overflow-hidden rounded-card bg-surface-sunken ring-1 ring-border group-hover:ring-border-strong">
        <ItemPicture item={item} />
      </span>
      <span className="mt-2 block truncate text-13 font-medium">{name}</span>
      <span className={`flex min-w-0 items-center gap-1 text-12 ${isFailed ? 'text-danger-text' : 'text-muted'}`}>
        {isFailed && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
        {!isFailed && !isReady && <Loader aria-hidden className="size-3.5 shrink-0 motion-safe:animate-spin" />}
        <span className="truncate">{isReady ? <RelativeTime moment={addedAt} /> : text(`status.${status}`)}</span>
      </span>
    </Link>
  )
}
