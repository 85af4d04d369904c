import type { Check, ConnectedModel, ModelConnection } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleMinus, CircleX, FlaskConical, type LucideIcon, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { removeConnection, testConnection, updateConnection } from '../../api/connections.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useSentenceText } from '../../lib/sentences.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { showToast } from '../../ui/toast.ts'
import { ConnectionDialog } from './connection-dialog.tsx'
import { connectionsQuery, followConnections, keepConnection } from './connections-queries.ts'
import { OllamaModels } from './ollama-models.tsx'

const looks: Record<Check['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  ok: { tone: 'success', Icon: CircleCheck },
  off: { tone: 'neutral', Icon: CircleMinus },
  error: { tone: 'danger', Icon: CircleX },
}

/** Model servers that are connected, and what their models can do. */
export function ConnectionsCard() {
  const text = useText('connections')
  const appText = useText('app')
  const query = useQuery(connectionsQuery)
  const { data } = query
  const [edited, setEdited] = useState<ModelConnection | 'new' | null>(null)
  return (
    <Card>
      <CardHeader title={text('title')} description={text('subtitle')} />
      {!data && query.isError && <LoadFailed query={query} />}
      {!data && !query.isError && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-24" />
        </LoadingRegion>
      )}
      {data?.length === 0 && <p className="mb-4 text-13 text-muted">{text('empty')}</p>}
      {data && data.length > 0 && (
        <ul className="-mt-3 mb-1 flex flex-col divide-y divide-border">
          {data.map((connection) => (
            <Connection key={connection.id} connection={connection} onEdit={() => setEdited(connection)} />
          ))}
        </ul>
      )}
      {data && (
        <Button icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
          {text('add')}
        </Button>
      )}
      {edited !== null && (
        <ConnectionDialog connection={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </Card>
  )
}

function Connection({ connection, onEdit }: { connection: ModelConnection; onEdit: () => void }) {
  const text = useText('connections')
  const appText = useText('app')
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, name, check } = connection
  const { tone, Icon } = looks[check.state]
  const onError = (error: Error) => {
    console.error('The connection could not be changed', error)
    showToast({ tone: 'danger', title: text('failed', { name }), description: errorText(error) })
  }
  const onSuccess = (changed: ModelConnection) => keepConnection(queryClient, changed)
  const test = useMutation({ mutationFn: () => testConnection(id), onSuccess, onError })
  const turn = useMutation({
    mutationFn: (enabled: boolean) => updateConnection(id, { enabled }),
    onSuccess,
    onError,
  })
  const remove = useMutation({
    mutationFn: () => removeConnection(id),
    onSuccess: () => {
      queryClient.setQueryData(connectionsQuery.queryKey, (known) => known?.filter((one) => one.id !== id))
      followConnections(queryClient)
    },
    onError,
  })
  const removeAfterQuestion = async () => {
    const isWanted = await confirm({
      question: text('removeQuestion', { name }),
      detail: text('removeDetail'),
      confirmLabel: text('remove'),
      cancelLabel: appText('common.cancel'),
      tone: 'danger',
    })
    if (isWanted) remove.mutate()
  }
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0 flex-1 basis-48">
          <h3 className="text-14 font-medium break-words">{name}</h3>
          <p className="text-13 break-all text-muted">{connection.base_url}</p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`states.${check.state}`)}
        </Badge>
      </div>
      <p className="flex flex-wrap gap-x-3 text-13 text-muted">
        {connection.is_environment && <span>{text('fromEnvironment')}</span>}
        {connection.has_key && <span>{text('hasKey')}</span>}
        {connection.header_names.length > 0 && (
          <span className="break-all">{text('headers', { names: connection.header_names.join(', ') })}</span>
        )}
      </p>
      {check.reason && <p className="text-13 break-words text-danger-text">{sentenceText(check.reason, check.told)}</p>}
      {check.state === 'ok' && <Models models={connection.models} />}
      {check.state === 'ok' && <OllamaModels connectionId={id} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          icon={<FlaskConical aria-hidden />}
          loading={test.isPending}
          aria-label={text('testOne', { name })}
          onClick={() => test.mutate()}
        >
          {text('test')}
        </Button>
        {!connection.is_environment && (
          <>
            <Button size="sm" icon={<Pencil aria-hidden />} aria-label={text('editOne', { name })} onClick={onEdit}>
              {text('edit')}
            </Button>
            <Button
              size="sm"
              icon={<Trash2 aria-hidden />}
              loading={remove.isPending}
              aria-label={text('removeOne', { name })}
              onClick={() => void removeAfterQuestion()}
            >
              {text('remove')}
            </Button>
            <Switch
              label={text('enabled', { name })}
              labelHidden
              className="ml-auto"
              checked={turn.isPending ? turn.variables : connection.enabled}
              disabled={turn.isPending}
              onCheckedChange={(enabled) => turn.mutate(enabled)}
            />
          </>
        )}
      </div>
    </li>
  )
}

const abilities = [
  'vision',
  'tools',
  'embedding',
  'rerank',
  'transcription',
  'speech',
  'image_edit',
] as const satisfies (keyof ConnectedModel)[]

/** What a server has, folded away: some list hundreds. */
function Models({ models }: { models: ConnectedModel[] }) {
  const text = useText('connections')
  const count = text('models', { count: models.length })
  if (models.length === 0) return <p className="text-13 text-muted">{count}</p>
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-control text-13 text-muted">{count}</summary>
      <ul className="mt-1 max-h-60 overflow-y-auto">
        {models.map((model) => (
          <li key={model.id} className="flex flex-wrap gap-x-2 py-0.5 text-13">
            <span className="break-all">{model.id}</span>
            <span className="text-muted">
              {abilities
                .filter((ability) => model[ability])
                .map((ability) => text(`abilities.${ability}`))
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
