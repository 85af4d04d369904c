import type { WeeklySummaryJson } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Activity,
  CalendarClock,
  FileText,
  History,
  LayoutGrid,
  ListChecks,
  Play,
  RotateCw,
  Square,
} from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../lib/loading/event-stream.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import {
  AutomationError,
  automationKey,
  statusQuery,
  summariesQuery,
  useAutomationErrorText,
} from './automation-queries.ts'
import { RunsList } from './runs-list.tsx'
import { TaskCards, TaskList } from './task-list.tsx'

/** Summaries of the instance's last weeks. */
function SummariesList() {
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

const ANALYTICS_PATH = '/dashboard?tab=analytics'

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
              <Link to={ANALYTICS_PATH} className="hover:underline">
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

const innerTabs = [
  { value: 'overview', Icon: LayoutGrid },
  { value: 'tasks', Icon: ListChecks },
  { value: 'runs', Icon: History },
  { value: 'summaries', Icon: FileText },
] as const
type InnerTab = (typeof innerTabs)[number]['value']

/** The Automation tab: scheduled tasks, their runs, and weekly summaries. */
export function AutomationTab() {
  const text = useText('automation')
  const queryClient = useQueryClient()
  const query = useQuery(statusQuery)
  const [tab, setTab] = useState<InnerTab>('overview')
  useUserEvents((event) => {
    if (event.type === 'automation.run' || event.type === 'events.resumed') {
      void queryClient.invalidateQueries({ queryKey: automationKey })
    }
  })

  if (query.isPending) {
    return (
      // as high as the window, like the placeholder before it, so that content below moves only once
      <LoadingRegion label={text('loading')} className="flex min-h-dvh justify-center py-16">
        <Spinner />
      </LoadingRegion>
    )
  }
  if (query.isLoadingError)
    return <ErrorPanel error={query.error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
  const status = query.data
  return (
    <div className="flex flex-col gap-5">
      <Header {...status} />
      <Tabs
        label={text('tabs.label')}
        tabs={innerTabs.map(({ value, Icon }) => ({ value, label: text(`tabs.${value}`), icon: <Icon aria-hidden /> }))}
        value={tab}
        onValueChange={setTab}
      >
        <TabPanel value={tab}>
          {tab === 'overview' && <TaskCards tasks={status.tasks} />}
          {tab === 'tasks' && <TaskList tasks={status.tasks} />}
          {tab === 'runs' && <RunsList />}
          {tab === 'summaries' && <SummariesList />}
        </TabPanel>
      </Tabs>
    </div>
  )
}

function Header({
  scheduler_running: isRunning,
  active_jobs: activeJobs,
  current_runs: currentRuns,
}: {
  scheduler_running: boolean
  active_jobs: number
  current_runs: number
}) {
  const text = useText('automation')
  const format = useFormat()
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h2 className="text-20 font-semibold">{text('title')}</h2>
        <p className="mt-1 text-14 text-muted">{text('subtitle')}</p>
      </div>
      <ul aria-label={text('header.label')} className="flex flex-wrap gap-2">
        <li>
          <Badge
            tone={isRunning ? 'success' : 'danger'}
            icon={isRunning ? <Play aria-hidden /> : <Square aria-hidden />}
          >
            {text('header.scheduler', { state: text(isRunning ? 'header.running' : 'header.stopped') })}
          </Badge>
        </li>
        <li>
          <Badge icon={<CalendarClock aria-hidden />}>
            {text('header.jobs', { count: format.number(activeJobs) })}
          </Badge>
        </li>
        <li>
          <Badge tone={currentRuns > 0 ? 'accent' : 'neutral'} icon={<Activity aria-hidden />}>
            {text('header.runs', { count: format.number(currentRuns) })}
          </Badge>
        </li>
      </ul>
    </div>
  )
}

const troubleshootingSteps = ['backend', 'module', 'routes', 'permissions'] as const

function ErrorPanel({ error, retrying, onRetry }: { error: unknown; retrying: boolean; onRetry: () => void }) {
  const text = useText('automation')
  const errorText = useAutomationErrorText()
  const isMissing = error instanceof AutomationError && error.kind === 'missing'
  return (
    <div className="flex flex-col gap-4">
      {isMissing && (
        <Banner tone="warning" title={text('unavailable.title')}>
          {text('unavailable.text')}
        </Banner>
      )}
      <Card className="flex flex-col items-start gap-4">
        <Banner tone="error" title={text('failed.title')} className="w-full">
          <span className="wrap-anywhere">{errorText(error)}</span>
        </Banner>
        <Button variant="primary" icon={<RotateCw aria-hidden />} loading={retrying} onClick={onRetry}>
          {text('failed.retry')}
        </Button>
        <div>
          <h2 className="text-14 font-medium">{text('failed.troubleshooting')}</h2>
          <ul className="mt-2 list-disc space-y-1 pl-5 text-14 text-muted">
            {troubleshootingSteps.map((step) => (
              <li key={step}>{text(`failed.steps.${step}`)}</li>
            ))}
          </ul>
        </div>
      </Card>
    </div>
  )
}
