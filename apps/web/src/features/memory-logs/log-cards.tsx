import type { MemoryLogsAnswerJson } from '@mira/shared'
import { Database, Filter, History, Target, Timer } from 'lucide-react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { StatCard } from '../../ui/stat-card.tsx'

/** The five cards over the timeline: four figures of everything, and how much the filters let through. */
export function LogCards({ data }: { data: MemoryLogsAnswerJson | undefined }) {
  const text = useText('memory-logs')
  const format = useFormat()
  const stats = data?.stats
  const response = stats?.avg_response_time ?? null
  // before a result was opened nothing tells how good they are
  const accuracy = stats?.search_accuracy || null
  const loading = !data
  return (
    <section aria-label={text('cards.label')} className="grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4 xl:grid-cols-5">
      <StatCard
        label={text('cards.interactions')}
        icon={<History />}
        loading={loading}
        value={stats ? format.number(stats.total_interactions) : null}
        explanation={text('cards.explain.interactions')}
      />
      <StatCard
        label={text('cards.response')}
        icon={<Timer />}
        loading={loading}
        value={response === null ? null : format.number(response, response < 1 ? 3 : 1)}
        unit="s"
        note={stats && response === null ? text('cards.notMeasured') : undefined}
        explanation={text(response === null ? 'cards.explain.noResponse' : 'cards.explain.response')}
      />
      <StatCard
        label={text('cards.size')}
        icon={<Database />}
        loading={loading}
        value={stats ? format.bytes(stats.memory_size) : null}
        explanation={text('cards.explain.size')}
      />
      <StatCard
        label={text('cards.accuracy')}
        icon={<Target />}
        loading={loading}
        value={accuracy === null ? null : format.percent(accuracy)}
        note={stats && accuracy === null ? text('cards.notMeasured') : undefined}
        explanation={text(accuracy === null ? 'cards.explain.noAccuracy' : 'cards.explain.accuracy')}
      />
      <StatCard
        label={text('cards.filtered')}
        icon={<Filter />}
        loading={loading}
        value={data ? format.number(data.total) : null}
        className="max-sm:col-span-2"
      />
    </section>
  )
}
