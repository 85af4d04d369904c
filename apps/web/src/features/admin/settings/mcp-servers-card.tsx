import type { McpServerJson } from '@mira/shared'
import { MAX_OFFERED_MCP_TOOLS, type McpToolRule, mcpToolRules } from '@mira/shared/constants/agents'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { QueryList } from '../../../lib/components/query-list.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { ConnectedServer, useChangeErrorToast } from './connected-server.tsx'
import {
  McpServerDialog,
  type McpServerOwner,
  mcpServersQuery,
  testMcpServer,
  updateCachedMcpServer,
  updateMcpServer,
} from './mcp-server-dialog.tsx'

/**
 * Connected MCP servers: who may use their tools, and which tools need approval. A user's own servers are for them alone;
 * their card is hidden when the user has none and may not add any.
 */
export function McpServersCard({ owner, children }: { owner: McpServerOwner; children?: ReactNode }) {
  const text = useText('mcp-servers')
  const query = useQuery(mcpServersQuery(owner))
  const { data } = query
  const [edited, setEdited] = useState<McpServerJson | 'new' | null>(null)
  if (owner === 'person' && data && !data.mayAdd && data.servers.length === 0) return null
  return (
    <Card>
      <CardHeader
        title={text(owner === 'person' ? 'own.title' : 'title')}
        description={text(owner === 'person' ? 'own.subtitle' : 'subtitle')}
      />
      {data?.mayAdd === false && <p className="mb-4 text-13 text-warning-text">{text('own.off')}</p>}
      <QueryList
        query={query}
        items={data?.servers}
        label={text(owner === 'person' ? 'own.title' : 'title')}
        loading={<Skeleton className="h-24" />}
        empty={undefined}
      >
        {(server) => <Server key={server.id} owner={owner} server={server} onEdit={() => setEdited(server)} />}
      </QueryList>
      {data?.servers.length === 0 && <p className="text-13 text-muted">{text('empty')}</p>}
      {data?.mayAdd && (
        <Button className="mt-4" icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
          {text('add')}
        </Button>
      )}
      {data && edited !== null && (
        <McpServerDialog
          owner={owner}
          server={edited === 'new' ? null : edited}
          allowsPrograms={data.allowsPrograms}
          onClose={() => setEdited(null)}
        />
      )}
      {children}
    </Card>
  )
}

function Server({ owner, server, onEdit }: { owner: McpServerOwner; server: McpServerJson; onEdit: () => void }) {
  const text = useText('mcp-servers')
  const queryClient = useQueryClient()
  const { id, name } = server
  const onChanged = (changed: McpServerJson) => updateCachedMcpServer(queryClient, owner, id, changed)
  return (
    <ConnectedServer
      server={server}
      address={server.url ?? [server.command, ...server.arguments].join(' ')}
      note={owner === 'instance' && text(`audiences.${server.audience}`, { count: server.user_ids.length })}
      test={() => testMcpServer(owner, id)}
      setEnabled={(enabled) => updateMcpServer(owner, id, { enabled })}
      remove={() =>
        call(owner === 'person' ? 'DELETE /me/mcp-servers/:id' : 'DELETE /admin/mcp-servers/:id', { params: { id } })
      }
      onEdit={onEdit}
      removal={{ question: text('removeQuestion', { name }), detail: text('removeDetail') }}
      onChanged={onChanged}
      onRemoved={() => updateCachedMcpServer(queryClient, owner, id, null)}
    >
      {server.tools_left_out > 0 && (
        <p className="text-13 text-warning-text">
          {text('toolsLeftOut', { count: server.tools_left_out, max: MAX_OFFERED_MCP_TOOLS })}
        </p>
      )}
      <Tools owner={owner} server={server} onChanged={onChanged} />
    </ConnectedServer>
  )
}

/** Collapsed list of a server's tools, each with the rule for its calls. */
function Tools({ owner, server, onChanged }: ToolsProps) {
  const text = useText('mcp-servers')
  const onError = useChangeErrorToast(server.name)
  const change = useMutation({
    mutationFn: (tool_rules: Record<string, McpToolRule>) => updateMcpServer(owner, server.id, { tool_rules }),
    onSuccess: onChanged,
    onError,
  })
  const count = text('tools', { count: server.tools.length })
  if (server.tools.length === 0)
    return server.check.state === 'ok' ? <p className="text-13 text-muted">{count}</p> : null
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-control text-13 text-muted">{count}</summary>
      <ul className="mt-2 flex max-h-96 flex-col gap-3 overflow-y-auto pr-1">
        {server.tools.map((tool) => (
          <li key={tool.name} className="flex flex-wrap items-start gap-x-3 gap-y-1.5">
            <div className="min-w-0 flex-1 basis-48 text-13">
              <p className="font-medium break-all">{tool.title}</p>
              <p className="line-clamp-2 break-words text-muted">{tool.description}</p>
            </div>
            <Select
              label={text('ruleOf', { name: tool.title })}
              labelHidden
              className="w-44"
              value={change.isPending ? (change.variables[tool.name] ?? tool.rule) : tool.rule}
              disabled={change.isPending}
              options={mcpToolRules.map((rule) => ({ value: rule, label: text(`rules.${rule}`) }))}
              onValueChange={(rule) => change.mutate({ [tool.name]: rule })}
            />
          </li>
        ))}
      </ul>
    </details>
  )
}

interface ToolsProps {
  owner: McpServerOwner
  server: McpServerJson
  onChanged: (changed: McpServerJson) => void
}
