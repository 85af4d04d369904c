import type { Check, SystemOverviewJson } from '@mira/shared'
import { CircleCheck, CircleMinus, CircleX, type LucideIcon } from 'lucide-react'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../../ui/table.tsx'

const stateBadges: Record<Check['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  ok: { tone: 'success', Icon: CircleCheck },
  off: { tone: 'neutral', Icon: CircleMinus },
  error: { tone: 'danger', Icon: CircleX },
}

/** Sandbox of the parser processes, as named by the health check. */
type SandboxKind = 'bubblewrap' | 'namespaces' | 'service'

const parts = ['database', 'storage', 'queue'] as const

/** State of each component and engine, with its engine and model or the reason for a failure. */
export function EngineStates({ data: { checks, engines } }: ListProps) {
  const text = useText('system-admin')
  const settingsText = useText('settings-admin')
  const sentenceText = useSentenceText()
  const describe = ({ engine, model, reason, told: sentences }: Check) =>
    [engine, model].filter(Boolean).join(' · ') || (reason && sentenceText(reason, sentences))
  const describeParsers = ({ state, engine, reason, told: sentences }: Check) =>
    state === 'ok'
      ? text('parsers.sandboxed', { kind: text(`parsers.kinds.${engine as SandboxKind}`) })
      : reason && sentenceText(reason, sentences)
  const lines: [string, string, Check][] = [
    ...parts.map((name): [string, string, Check] => [name, text(`parts.${name}`), checks[name]]),
    ...(checks.parsers ? [['parsers', text('parts.parsers'), checks.parsers] satisfies [string, string, Check]] : []),
    ...(checks.audit ? [['audit', text('parts.audit'), checks.audit] satisfies [string, string, Check]] : []),
    ...(checks.proxy ? [['proxy', text('parts.proxy'), checks.proxy] satisfies [string, string, Check]] : []),
    ...Object.entries(engines).map(([name, check]): [string, string, Check] => [
      name,
      settingsText(`capabilities.${name as keyof typeof engines}.name`),
      check,
    ]),
  ]
  return (
    <Card>
      <CardHeader title={text('engines.title')} level={3} />
      <ul className="divide-y divide-border">
        {lines.map(([key, name, check]) => {
          const { tone, Icon } = stateBadges[check.state]
          return (
            <li
              key={key}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 py-2.5 first:pt-0 last:pb-0"
            >
              <span className="min-w-0 truncate text-14">{name}</span>
              <Badge tone={tone} icon={<Icon aria-hidden />}>
                {text(`engines.states.${check.state}`)}
              </Badge>
              {(check.reason ?? check.engine) && (
                <span className="col-span-2 text-13 text-pretty wrap-break-word text-muted">
                  {key === 'parsers' ? describeParsers(check) : describe(check)}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** Waiting, running and failed jobs per queue. */
export function QueueDepths({ data: { queues } }: ListProps) {
  const text = useText('system-admin')
  const format = useFormat()
  return (
    <Card flush className="overflow-hidden">
      <CardHeader title={text('queues.title')} description={text('queues.text')} level={3} className="p-4 sm:px-5" />
      <Table label={text('queues.title')}>
        <thead>
          <tr>
            <HeaderCell>{text('queues.name')}</HeaderCell>
            <HeaderCell align="right">{text('queues.waiting')}</HeaderCell>
            <HeaderCell align="right">{text('queues.active')}</HeaderCell>
            <HeaderCell align="right">{text('queues.failed')}</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ name, waiting, active, failed }) => (
            <Row key={name}>
              <RowHeaderCell className="h-10 font-mono text-13">{name}</RowHeaderCell>
              <Cell align="right" className="h-10">
                {format.number(waiting)}
              </Cell>
              <Cell align="right" className="h-10">
                {format.number(active)}
              </Cell>
              <Cell align="right" className="h-10">
                {format.number(failed)}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

/** Latest metrics of each server. */
export function Servers({ data: { servers } }: ListProps) {
  const text = useText('system-admin')
  const format = useFormat()
  return (
    <Card flush className="overflow-hidden">
      <CardHeader title={text('servers.title')} description={text('servers.text')} level={3} className="p-4 sm:px-5" />
      {servers.length === 0 ? (
        <p className="px-4 pb-5 text-14 text-muted sm:px-5">{text('servers.none')}</p>
      ) : (
        <Table label={text('servers.title')}>
          <thead>
            <tr>
              <HeaderCell>{text('servers.server')}</HeaderCell>
              <HeaderCell>{text('servers.last')}</HeaderCell>
              <HeaderCell align="right">{text('measures.requests')}</HeaderCell>
              <HeaderCell align="right">{text('measures.request_errors')}</HeaderCell>
              <HeaderCell align="right">{text('measures.memory_bytes')}</HeaderCell>
              <HeaderCell align="right">{text('measures.cpu_share')}</HeaderCell>
              <HeaderCell align="right">{text('measures.event_loop_delay_p99_ms')}</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {servers.map((server) => (
              <Row key={server.server_id}>
                <RowHeaderCell className="font-mono text-13 whitespace-nowrap">
                  {server.server_id.slice(-8)} {server.is_this && <Badge tone="accent">{text('servers.this')}</Badge>}
                </RowHeaderCell>
                <Cell className="whitespace-nowrap text-muted">
                  <RelativeTime moment={server.last_sample_at} />
                </Cell>
                <Cell align="right">{format.number(server.requests)}</Cell>
                <Cell align="right">{format.number(server.request_errors)}</Cell>
                <Cell align="right">{format.bytes(server.memory_bytes)}</Cell>
                <Cell align="right">{format.percent(server.cpu_share * 100)}</Cell>
                <Cell align="right">{`${format.number(server.event_loop_delay_p99_ms, 1)} ms`}</Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}

/** Sizes, delays and versions. */
export function SystemFacts({ data }: ListProps) {
  const text = useText('system-admin')
  const format = useFormat()
  const { versions, event_loop_delay_ms: delay } = data
  const facts = [
    ['database', format.bytes(data.database_bytes)],
    ['files', format.bytes(data.storage_bytes)],
    ['delay', text('facts.delayOf', { mean: format.number(delay.mean, 1), p99: format.number(delay.p99, 1) })],
    ['mira', versions.mira],
    ['node', versions.node],
    ['postgresql', versions.postgresql],
    ['pgvector', versions.pgvector ?? '—'],
    ['platform', versions.platform],
  ] as const
  return (
    <Card>
      <CardHeader title={text('facts.title')} level={3} />
      <dl className="flex flex-col divide-y divide-border">
        {facts.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-4 py-2.5 first:pt-0 last:pb-0">
            <dt className="text-14">{text(`facts.${name}`)}</dt>
            <dd className="min-w-0 text-right text-14 wrap-break-word text-muted tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

type ListProps = { data: SystemOverviewJson }
