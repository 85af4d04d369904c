import type { HookDeliveryJson, HookJson } from '@mira/shared'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import { DeliveryState, useProblemText } from './delivery-state.tsx'
import { deliveriesQuery } from './webhook-queries.ts'
import { hookTitle } from './webhook-title.ts'

/** Log of a webhook's deliveries with their outcomes. */
export function DeliveriesDialog({ hook, onClose }: { hook: HookJson; onClose: () => void }) {
  const text = useText('webhooks')
  const appText = useText('app')
  const query = useInfiniteQuery(deliveriesQuery(hook.id))
  const all = query.data?.pages.flatMap(({ deliveries }) => deliveries)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('logOf', { name: hookTitle(hook) })}
      description={text('logHint')}
      closeLabel={appText('common.close')}
    >
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <SkeletonText lines={3} />
        </LoadingRegion>
      )}
      {query.isError && <LoadFailed query={query} />}
      {all?.length === 0 && <p className="text-14 text-muted">{text('nothingSent')}</p>}
      {all && all.length > 0 && (
        <ul aria-label={text('logOf', { name: hookTitle(hook) })} className="-my-2 divide-y divide-border">
          {all.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <LoadMore
          className="mt-4"
          label={appText('common.loadMore')}
          loading={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
    </Dialog>
  )
}

function Delivery({ delivery }: { delivery: HookDeliveryJson }) {
  const text = useText('webhooks')
  const format = useFormat()
  const problemText = useProblemText()
  const { event, state, attempts, status, problem, next_attempt_at: nextAt } = delivery
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="text-14 font-medium">{text(`event.${event}`)}</span>
        <DeliveryState state={state} />
      </div>
      <p className="flex flex-wrap gap-x-3 text-13 text-muted">
        <RelativeTime moment={delivery.created_at} />
        <span>{text('attempts', { count: attempts })}</span>
        {problem === null && status !== null && <span>{text('status', { status: String(status) })}</span>}
        {nextAt && attempts > 0 && <span>{text('nextAttempt', { time: format.dateTime(nextAt) })}</span>}
      </p>
      {problem && <p className="text-13 text-danger-text">{problemText(delivery)}</p>}
    </li>
  )
}
