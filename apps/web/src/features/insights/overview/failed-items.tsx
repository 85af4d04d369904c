import type { MediaItemJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleX, RotateCw, Trash2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { fetchLibrary } from '../../../lib/api/library.ts'
import { Reason } from '../../../lib/components/reason.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useMoveToTrash } from '../../../lib/loading/use-move-to-trash.ts'
import { paths } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'

const MAX_SHOWN = 3

/** Items of the user that failed processing. */
const failedItemsQuery = queryOptions({
  queryKey: ['overview', 'failed-items'],
  queryFn: ({ signal }) => fetchLibrary({ status: 'failed', sort: 'newest', limit: MAX_SHOWN, cursor: null }, signal),
  staleTime: 0,
})

/** Failed items with reasons and buttons to retry or delete them; hidden when there are none. */
export function FailedItems() {
  const text = useText('overview')
  const mayUpload = can(useUser(), 'upload')
  const { data } = useQuery({ ...failedItemsQuery, enabled: mayUpload })
  if (!mayUpload || !data || data.total === 0) return null
  return (
    <Card>
      <CardHeader
        title={text('failed.title', { count: data.total })}
        className="mb-1"
        actions={
          data.total > data.media_items.length && (
            <Link
              to={`${paths.gallery}?status=failed`}
              className={buttonClass({ variant: 'ghost', size: 'sm', className: '-my-1 -mr-2' })}
            >
              {text('failed.all')}
            </Link>
          )
        }
      />
      <ul className="flex flex-col divide-y divide-border">
        {data.media_items.map((item) => (
          <FailedItem key={item.id} item={item} />
        ))}
      </ul>
    </Card>
  )
}

function FailedItem({ item: { id, metadata, error, error_told: sentences } }: { item: MediaItemJson }) {
  const text = useText('overview')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call('POST /media/:id/reprocess', { params: { id }, json: {} }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: failedItemsQuery.queryKey }),
    onError: (failure) => showToast({ tone: 'danger', title: errorText(failure) }),
  })
  const moveToTrash = useMoveToTrash('items')
  const name = metadata.original_filename
  const refetch = () => queryClient.invalidateQueries({ queryKey: ['overview'] })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 last:pb-0">
      <CircleX aria-hidden className="size-4.5 shrink-0 text-danger-text" />
      <div className="min-w-0 flex-1 basis-48">
        <Link to={`${paths.gallery}/${id}`} className="block truncate text-14 font-medium hover:underline">
          {name}
        </Link>
        {error && (
          <p className="text-13 wrap-anywhere text-muted">
            <Reason error={error} sentences={sentences} />
          </p>
        )}
      </div>
      <Button
        size="sm"
        icon={<RotateCw aria-hidden />}
        aria-label={text('failed.againNamed', { name })}
        loading={retry.isPending}
        onClick={() => retry.mutate()}
      >
        {text('failed.again')}
      </Button>
      <IconButton
        name={text('failed.deleteNamed', { name })}
        icon={<Trash2 aria-hidden />}
        size="sm"
        onClick={() => void moveToTrash([{ id, name }], { onMoved: refetch, onRestored: refetch })}
      />
    </li>
  )
}
