import type { SystemOverviewJson } from '@mira/shared'
import { Clock, HardDrive, MemoryStick, MessagesSquare, TriangleAlert, Webhook } from 'lucide-react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { StatCard } from '../../ui/stat-card.tsx'

const DAY_SECONDS = 86_400

/** The six figures of the System Overview. */
export function SystemCards({ data }: { data: SystemOverviewJson | undefined }) {
  const text = useText('system-admin')
  const format = useFormat()
  const loading = !data
  const errorRate = data?.error_rate ?? null
  const disk = data?.disk ?? null
  const uptime = (seconds: number) =>
    seconds < DAY_SECONDS
      ? format.duration(seconds)
      : text('cards.days', {
          days: Math.floor(seconds / DAY_SECONDS),
          hours: Math.floor((seconds % DAY_SECONDS) / 3600),
        })
  const share = ({ used_bytes, total_bytes }: { used_bytes: number; total_bytes: number }) =>
    text('cards.shareOf', { share: format.percent((100 * used_bytes) / total_bytes), total: format.bytes(total_bytes) })
  return (
    <section aria-label={text('cards.label')} className="grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4">
      <StatCard
        label={text('cards.sessions')}
        icon={<MessagesSquare />}
        loading={loading}
        value={data ? format.number(data.sessions.chat) : null}
        note={data && text('cards.signedIn', { count: data.sessions.signed_in })}
        explanation={text('cards.explain.sessions')}
      />
      <StatCard
        label={text('cards.uptime')}
        icon={<Clock />}
        loading={loading}
        value={data ? uptime(data.uptime) : null}
        explanation={text('cards.explain.uptime')}
      />
      <StatCard
        label={text('cards.memory')}
        icon={<MemoryStick />}
        loading={loading}
        value={data ? format.bytes(data.memory.used_bytes) : null}
        note={data && share(data.memory)}
        explanation={text('cards.explain.memory')}
      />
      <StatCard
        label={text('cards.disk')}
        icon={<HardDrive />}
        loading={loading}
        value={disk ? format.bytes(disk.used_bytes) : null}
        note={disk && share(disk)}
        explanation={text(data && disk === null ? 'cards.explain.noDisk' : 'cards.explain.disk')}
      />
      <StatCard
        label={text('cards.calls')}
        icon={<Webhook />}
        loading={loading}
        value={data ? format.number(data.api_calls) : null}
        note={data && text('cards.lastDay')}
        explanation={text('cards.explain.calls')}
      />
      <StatCard
        label={text('cards.errors')}
        icon={<TriangleAlert />}
        loading={loading}
        value={errorRate === null ? null : format.percent(errorRate, errorRate > 0 && errorRate < 0.1 ? 2 : 1)}
        note={data && text(errorRate === null ? 'cards.noCalls' : 'cards.lastDay')}
        explanation={text('cards.explain.errors')}
      />
    </section>
  )
}
