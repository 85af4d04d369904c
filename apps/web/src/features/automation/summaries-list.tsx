import type { WeeklySummaryJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { summariesQuery } from './automation-queries.ts'

/** The last weeks of the instance. */
export function SummariesList() {
  const text = useText('automation')
  const query = useQuery(summariesQuery)
  if (query.isPending) {
    return (
      <LoadingRegion label={text('loading')}>
        <Skeleton className="h-64 rounded-card" />
      </LoadingRegion>
    )
  }
  if (!query.data) {
    return (
      <Card>
        <LoadFailed query={query} />
      </Card>
    )
  }
  const { summaries } = query.data
  if (summaries.length === 0) {
    return (
      <Card className="py-8">
        <EmptyState icon={<FileText />} title={text('summaries.empty')} level={3} />
      </Card>
    )
  }
  return (
    <ul className="flex flex-col gap-4">
      {summaries.map((summary) => (
        <li key={summary.id}>
          <SummaryCard summary={summary} />
        </li>
      ))}
    </ul>
  )
}

const ANALYTICS = '/dashboard?tab=analytics'

function SummaryCard({ summary }: { summary: WeeklySummaryJson }) {
  const text = useText('automation')
  const format = useFormat()
  const { success_rate: rate, insights } = summary
  const figures = [
    ['users', format.number(summary.total_users_active)],
    ['messages', format.number(summary.total_messages)],
    ['sessions', format.number(summary.total_sessions)],
    ['success', rate === null ? text('notAvailable') : format.percent(rate * 100, 1)],
  ] as const
  return (
    <Card>
      <CardHeader
        level={3}
        title={text(summary.is_so_far ? 'summaries.weekSoFar' : 'summaries.week', {
          date: format.date(`${summary.week_start}T12:00:00Z`),
        })}
        description={text('summaries.generated', { time: format.dateTime(summary.generated_at) })}
      />
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-13 text-muted">{text(`summaries.${name}`)}</dt>
            <dd className="text-20 font-semibold tabular-nums">
              <Link to={ANALYTICS} className="hover:underline">
                {value}
              </Link>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-14">{summary.summary_text}</p>
      {insights.key_insights.length > 0 && (
        <>
          <h4 className="mt-4 text-14 font-medium">{text('summaries.insights')}</h4>
          <ul className="mt-1 list-disc space-y-1 pl-5 text-14">
            {insights.key_insights.map((insight) => (
              <li key={insight}>{insight}</li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}
