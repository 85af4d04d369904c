import type { ConnectedModel, ModelConnection } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { removeConnection, testConnection, updateConnection } from '../../api/connections.ts'
import { useText } from '../../lib/i18n.ts'
import { QueryList } from '../../lib/query-list.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ConnectedServer } from './connected-server.tsx'
import { ConnectionDialog } from './connection-dialog.tsx'
import { connectionsQuery, followConnections, keepConnection } from './connections-queries.ts'
import { OllamaModels } from './ollama-models.tsx'

/** Model servers that are connected, and what their models can do. */
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
      test={() => testConnection(id)}
      turn={(enabled) => updateConnection(id, { enabled })}
      remove={() => removeConnection(id)}
      onEdit={isFixed ? undefined : onEdit}
      removal={{ question: text('removeQuestion', { name }), detail: text('removeDetail') }}
      onChanged={(changed) => keepConnection(queryClient, changed)}
      onRemoved={() => {
        queryClient.setQueryData(connectionsQuery.queryKey, (known) => known?.filter((one) => one.id !== id))
        followConnections(queryClient)
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
