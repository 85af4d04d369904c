import type { ConnectedModel, ModelConnection, OllamaPullEvent } from '@mira/shared'
import { MODEL_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Plus, Square, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { QueryList } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { isComposing } from '../../../ui/is-composing.ts'
import { Progress } from '../../../ui/progress.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { ConnectedServer } from './connected-server.tsx'
import { ConnectionDialog } from './connection-dialog.tsx'
import { connectionsQuery, pullOllamaModel, refetchDependents, updateCachedConnection } from './connections-queries.ts'

/** Models of a connected Ollama server, to download and remove; hidden for other servers. */
export function OllamaModels({ connectionId }: { connectionId: string }) {
  const text = useText('connections')
  const format = useFormat()
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const queryKey = ['admin-ollama', connectionId]
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /admin/connections/:id/ollama', { params: { id: connectionId }, signal }),
  })
  const refetchModels = () => {
    void queryClient.invalidateQueries({ queryKey })
    void queryClient.invalidateQueries(connectionsQuery)
    refetchDependents(queryClient)
  }
  const remove = useMutation({
    mutationFn: (model: string) =>
      call('POST /admin/connections/:id/ollama/remove', { params: { id: connectionId }, json: { model } }),
    onSettled: refetchModels,
    onError: (error, model) =>
      showToast({ tone: 'danger', title: text('ollama.removeFailed', { model }), description: errorText(error) }),
  })
  if (!data || data.version === null) return null
  const confirmRemoval = async (model: string) => {
    const isConfirmed = await confirm({
      question: text('ollama.removeQuestion', { model }),
      detail: text('ollama.removeDetail'),
      confirmLabel: text('remove'),
      tone: 'danger',
    })
    if (isConfirmed) remove.mutate(model)
  }
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-control text-13 text-muted">
        {text('ollama.title', { version: data.version })}
      </summary>
      <div className="mt-2 flex flex-col gap-3">
        {data.models.length === 0 && <p className="text-13 text-muted">{text('ollama.none')}</p>}
        <ul className="flex max-h-60 flex-col overflow-y-auto">
          {data.models.map(({ name, size_bytes }) => (
            <li key={name} className="flex items-center gap-2 text-13">
              <span className="min-w-0 flex-1 break-all">{name}</span>
              <span className="shrink-0 text-muted tabular-nums">{format.bytes(size_bytes)}</span>
              <IconButton
                size="sm"
                variant="danger"
                name={text('ollama.remove', { model: name })}
                icon={<Trash2 aria-hidden />}
                loading={remove.isPending && remove.variables === name}
                onClick={() => void confirmRemoval(name)}
              />
            </li>
          ))}
        </ul>
        <ModelDownload connectionId={connectionId} onDone={refetchModels} />
      </div>
    </details>
  )
}

/** Pulls a model by its name with progress; stops when the page is left. */
function ModelDownload({ connectionId, onDone }: { connectionId: string; onDone: () => void }) {
  const text = useText('connections')
  const format = useFormat()
  const errorText = useErrorText()
  const [model, setModel] = useState('')
  const [download, setDownload] = useState<{ model: string; event: OllamaPullEvent | null } | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const pull = async () => {
    const name = model.trim()
    if (name === '' || running.current !== null) return
    const controller = new AbortController()
    running.current = controller
    setDownload({ model: name, event: null })
    try {
      for await (const event of pullOllamaModel(connectionId, name, controller.signal)) {
        setDownload({ model: name, event })
        if (event.state === 'failed') {
          showToast({ tone: 'danger', title: text('ollama.failed', { model: name }), description: event.detail })
        }
        if (event.state !== 'done') continue
        showToast({ tone: 'success', title: text('ollama.done', { model: name }) })
        setModel('')
        onDone()
      }
    } catch (error) {
      if (!controller.signal.aborted) {
        showToast({ tone: 'danger', title: text('ollama.failed', { model: name }), description: errorText(error) })
      }
    } finally {
      running.current = null
      if (!controller.signal.aborted) setDownload(null)
    }
  }
  const stop = () => {
    running.current?.abort()
    setDownload(null)
  }
  if (download !== null) {
    const { completed_bytes: completed, total_bytes: total } =
      download.event?.state === 'pulling' ? download.event : { completed_bytes: 0, total_bytes: 0 }
    return (
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Progress
            label={text('ollama.progress', { model: download.model })}
            value={total === 0 ? 0 : (completed / total) * 100}
            detail={total === 0 ? text('ollama.beginning') : `${format.bytes(completed)} / ${format.bytes(total)}`}
          />
        </div>
        <Button size="sm" icon={<Square aria-hidden />} onClick={stop}>
          {text('ollama.stop')}
        </Button>
      </div>
    )
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-48">
        <TextField
          label={text('ollama.name')}
          hint={text('ollama.hint')}
          maxLength={MODEL_NAME_MAX_CHARACTERS}
          autoComplete="off"
          spellCheck={false}
          value={model}
          onChange={(event) => setModel(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
            // Keeps Enter from submitting the settings form around the field.
            event.preventDefault()
            void pull()
          }}
        />
      </div>
      <Button size="sm" icon={<Download aria-hidden />} disabled={model.trim() === ''} onClick={() => void pull()}>
        {text('ollama.pull')}
      </Button>
    </div>
  )
}

/** Connected model servers with their models' capabilities. */
export function ConnectionsCard() {
  const text = useText('connections')
  const query = useQuery(connectionsQuery)
  const { data } = query
  const [edited, setEdited] = useState<ModelConnection | 'new' | null>(null)
  return (
    <Card>
      <CardHeader title={text('title')} description={text('subtitle')} />
      <QueryList
        query={query}
        items={data}
        label={text('title')}
        loading={<Skeleton className="h-24" />}
        empty={undefined}
      >
        {(connection) => (
          <Connection key={connection.id} connection={connection} onEdit={() => setEdited(connection)} />
        )}
      </QueryList>
      {data?.length === 0 && <p className="text-13 text-muted">{text('empty')}</p>}
      {data && (
        <Button className="mt-4" icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
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
  const queryClient = useQueryClient()
  const { id, name, check, is_environment: isFixed } = connection
  return (
    <ConnectedServer
      server={connection}
      address={connection.base_url}
      note={isFixed && text('fromEnvironment')}
      test={() => call('POST /admin/connections/:id/test', { params: { id } })}
      setEnabled={(enabled) => call('PATCH /admin/connections/:id', { params: { id }, json: { enabled } })}
      remove={() => call('DELETE /admin/connections/:id', { params: { id } })}
      onEdit={isFixed ? undefined : onEdit}
      removal={{ question: text('removeQuestion', { name }), detail: text('removeDetail') }}
      onChanged={(changed) => updateCachedConnection(queryClient, changed)}
      onRemoved={() => {
        queryClient.setQueryData(connectionsQuery.queryKey, (cached) => cached?.filter((one) => one.id !== id))
        refetchDependents(queryClient)
      }}
    >
      {check.state === 'ok' && (
        <>
          <Models models={connection.models} />
          <OllamaModels connectionId={id} />
        </>
      )}
    </ConnectedServer>
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

/** Models of a server, collapsed because some list hundreds. */
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
