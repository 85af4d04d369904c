import type { McpServerJson } from '@mira/shared'
import { type McpToolRule, mcpToolRules } from '@mira/shared/words/mcp-servers'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleMinus, CircleX, FlaskConical, type LucideIcon, Pencil, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type McpServersOf, removeMcpServer, testMcpServer, updateMcpServer } from '../../api/mcp-servers.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useSentenceText } from '../../lib/sentences.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { showToast } from '../../ui/toast.ts'
import { McpServerDialog } from './mcp-server-dialog.tsx'
import { keepMcpServer, mcpServersQuery } from './mcp-servers-queries.ts'

const looks: Record<McpServerJson['check']['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  ok: { tone: 'success', Icon: CircleCheck },
  off: { tone: 'neutral', Icon: CircleMinus },
  error: { tone: 'danger', Icon: CircleX },
}

/**
 * MCP servers that are connected: who may use their tools, and which of them ask first. A person's own are for them alone, and
 * shown where there are some or may be.
 */
export function McpServersCard({ of, children }: { of: McpServersOf; children?: ReactNode }) {
  const text = useText('mcp-servers')
  const appText = useText('app')
  const query = useQuery(mcpServersQuery(of))
  const { data } = query
  const [edited, setEdited] = useState<McpServerJson | 'new' | null>(null)
  if (of === 'person' && data && !data.mayAdd && data.servers.length === 0) return null
  return (
    <Card>
      <CardHeader
        title={text(of === 'person' ? 'own.title' : 'title')}
        description={text(of === 'person' ? 'own.subtitle' : 'subtitle')}
      />
      {data?.mayAdd === false && <p className="mb-4 text-13 text-warning-text">{text('own.off')}</p>}
      {!data && query.isError && <LoadFailed query={query} />}
      {!data && !query.isError && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-24" />
        </LoadingRegion>
      )}
      {data?.servers.length === 0 && <p className="mb-4 text-13 text-muted">{text('empty')}</p>}
      {data && data.servers.length > 0 && (
        <ul className="-mt-3 mb-1 flex flex-col divide-y divide-border">
          {data.servers.map((server) => (
            <Server key={server.id} of={of} server={server} onEdit={() => setEdited(server)} />
          ))}
        </ul>
      )}
      {data?.mayAdd && (
        <Button icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
          {text('add')}
        </Button>
      )}
      {data && edited !== null && (
        <McpServerDialog
          of={of}
          server={edited === 'new' ? null : edited}
          allowsPrograms={data.allowsPrograms}
          onClose={() => setEdited(null)}
        />
      )}
      {children}
    </Card>
  )
}

function Server({ of, server, onEdit }: { of: McpServersOf; server: McpServerJson; onEdit: () => void }) {
  const text = useText('mcp-servers')
  const appText = useText('app')
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, name, check } = server
  const { tone, Icon } = looks[check.state]
  const onError = (error: Error) => {
    console.error('The MCP server could not be changed', error)
    showToast({ tone: 'danger', title: text('failed', { name }), description: errorText(error) })
  }
  const onSuccess = (changed: McpServerJson) => keepMcpServer(queryClient, of, id, changed)
  const test = useMutation({ mutationFn: () => testMcpServer(of, id), onSuccess, onError })
  const turn = useMutation({
    mutationFn: (enabled: boolean) => updateMcpServer(of, id, { enabled }),
    onSuccess,
    onError,
  })
  const remove = useMutation({
    mutationFn: () => removeMcpServer(of, id),
    onSuccess: () => keepMcpServer(queryClient, of, id, null),
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
          <p className="text-13 break-all text-muted">
            {server.url ?? [server.command, ...server.arguments].join(' ')}
          </p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`states.${check.state}`)}
        </Badge>
      </div>
      <p className="flex flex-wrap gap-x-3 text-13 text-muted">
        {of === 'instance' && <span>{text(`audiences.${server.audience}`, { count: server.user_ids.length })}</span>}
        {server.has_key && <span>{text('hasKey')}</span>}
        {server.header_names.length > 0 && (
          <span className="break-all">{text('headers', { names: server.header_names.join(', ') })}</span>
        )}
      </p>
      {check.reason && <p className="text-13 break-words text-danger-text">{sentenceText(check.reason, check.told)}</p>}
      <Tools of={of} server={server} onError={onError} onSuccess={onSuccess} />
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
          checked={turn.isPending ? turn.variables : server.enabled}
          disabled={turn.isPending}
          onCheckedChange={(enabled) => turn.mutate(enabled)}
        />
      </div>
    </li>
  )
}

/** The tools of a server, folded away, each with what becomes of its calls. */
function Tools({ of, server, onSuccess, onError }: ToolsProps) {
  const text = useText('mcp-servers')
  const change = useMutation({
    mutationFn: (tool_rules: Record<string, McpToolRule>) => updateMcpServer(of, server.id, { tool_rules }),
    onSuccess,
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
  of: McpServersOf
  server: McpServerJson
  onSuccess: (changed: McpServerJson) => void
  onError: (error: Error) => void
}
