import type { LocalModel, LocalModelsResponse } from '@mira/shared'
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, CloudDownload, Download, type LucideIcon, Trash2 } from 'lucide-react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import type { AdminSettingsCard } from '../../../lib/session/paths.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { adminSettingsQuery } from './use-settings-form.ts'

/** Models that the server can run itself; events report their changes. */
export const localModelsQuery = queryOptions({
  queryKey: ['admin-models'],
  queryFn: ({ signal }) => call('GET /admin/models', { signal }),
})

/** Updates a model in the cached list. */
function updateCachedModel(queryClient: QueryClient, model: LocalModel): void {
  queryClient.setQueryData(
    localModelsQuery.queryKey,
    (cached: LocalModelsResponse | undefined) =>
      cached && { ...cached, models: cached.models.map((one) => (one.id === model.id ? model : one)) },
  )
}

const looks: Record<LocalModel['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  absent: { tone: 'neutral', Icon: CloudDownload },
  downloading: { tone: 'accent', Icon: Download },
  ready: { tone: 'success', Icon: CircleCheck },
  failed: { tone: 'danger', Icon: CircleX },
}

/** Models that this server can run itself. */
export function ModelsCard() {
  const text = useText('settings-admin')
  const appText = useText('app')
  const queryClient = useQueryClient()
  const query = useQuery(localModelsQuery)
  const { data, error } = query
  useUserEvents((event) => {
    if (event.type === 'events.resumed') void query.refetch()
    if (event.type !== 'model.progress') return
    updateCachedModel(queryClient, event.model)
    // the model's engine may have become available or unavailable
    if (event.model.state !== 'downloading') void queryClient.invalidateQueries(adminSettingsQuery)
  })
  const isUnknown = query.isLoadingError && error instanceof ApiError && error.status === 404
  return (
    <Card id={'models' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('models.title')} description={text('models.subtitle')} />
      {isUnknown && <p className="text-13 text-muted">{text('models.notHere')}</p>}
      {query.isLoadingError && !isUnknown && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-40" />
        </LoadingRegion>
      )}
      {data && !data.is_enabled && (
        <Banner tone="info" className="mb-4">
          {text('models.off')}
        </Banner>
      )}
      {data && (
        <>
          <ul className="-mt-3 flex flex-col divide-y divide-border">
            {data.models.map((model) => (
              <Model key={`${model.capability} ${model.id}`} model={model} isEnabled={data.is_enabled} />
            ))}
          </ul>
          <p className="mt-3 text-13 break-all text-muted">{text('models.directory', { directory: data.directory })}</p>
        </>
      )}
    </Card>
  )
}

function Model({ model, isEnabled }: { model: LocalModel; isEnabled: boolean }) {
  const text = useText('settings-admin')
  const format = useFormat()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const errorText = useErrorText()
  const { tone, Icon } = looks[model.state]
  const showError = (title: string) => (error: unknown) => {
    console.error(title, error)
    showToast({ tone: 'danger', title, description: errorText(error) })
  }
  const download = useMutation({
    mutationFn: () => call('POST /admin/models/:id/download', { params: { id: model.id } }),
    onSuccess: (downloading) => updateCachedModel(queryClient, downloading),
    onError: showError(text('models.downloadFailed', { model: model.id })),
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /admin/models/:id', { params: { id: model.id } }),
    onSuccess: () => queryClient.invalidateQueries(localModelsQuery),
    onError: showError(text('models.removeFailed', { model: model.id })),
  })
  const confirmRemoval = async () => {
    const isConfirmed = await confirm({
      question: text('models.removeQuestion', { model: model.id }),
      detail: text('models.removeDetail'),
      confirmLabel: text('models.remove'),
      tone: 'danger',
    })
    if (isConfirmed) remove.mutate()
  }
  const size = model.size_bytes === null ? null : format.bytes(model.size_bytes)
  const isReady = model.state === 'ready'
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0">
          <p className="text-14 font-medium break-all">{model.id}</p>
          <p className="flex flex-wrap gap-x-3 text-13 text-muted">
            <span>{text(`capabilities.${model.capability}.name`)}</span>
            {size && <span className="tabular-nums">{size}</span>}
            <span>{model.license}</span>
            {model.is_default && <span>{text('models.default')}</span>}
            {model.is_loaded && <span>{text('models.loaded')}</span>}
          </p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`models.states.${model.state}`)}
        </Badge>
      </div>
      {model.error && <p className="text-13 break-words text-danger-text">{model.error}</p>}
      {model.state === 'downloading' && (
        <Progress
          label={text('models.progress', { model: model.id })}
          labelHidden
          value={model.size_bytes ? (100 * model.downloaded_bytes) / model.size_bytes : null}
        />
      )}
      {model.state === 'downloading' && (
        <p className="text-12 text-muted tabular-nums">
          {size
            ? text('models.bytesOf', { done: format.bytes(model.downloaded_bytes), size })
            : format.bytes(model.downloaded_bytes)}
        </p>
      )}
      {isEnabled && (model.state === 'absent' || model.state === 'failed') && (
        <Button
          size="sm"
          className="self-start"
          icon={<Download aria-hidden />}
          loading={download.isPending}
          aria-label={text('models.downloadOne', { model: model.id })}
          onClick={() => download.mutate()}
        >
          {text('models.download')}
        </Button>
      )}
      {isReady && (
        <Button
          size="sm"
          className="self-start"
          icon={<Trash2 aria-hidden />}
          loading={remove.isPending}
          aria-label={text('models.removeOne', { model: model.id })}
          onClick={() => void confirmRemoval()}
        >
          {text('models.remove')}
        </Button>
      )}
    </li>
  )
}
