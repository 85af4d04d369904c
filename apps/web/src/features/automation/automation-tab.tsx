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
import { AutomationError } from '../../api/automation.ts'
import { useUserEvents } from '../../lib/event-stream.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadingRegion } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { automationKey, statusQuery, useAutomationErrorText } from './automation-queries.ts'
import { RunsList } from './runs-list.tsx'
import { SummariesList } from './summaries-list.tsx'
import { TaskCards } from './task-cards.tsx'
import { TaskList } from './task-list.tsx'

const innerTabs = [
  { value: 'overview', Icon: LayoutGrid },
  { value: 'tasks', Icon: ListChecks },
  { value: 'runs', Icon: History },
  { value: 'summaries', Icon: FileText },
] as const
type InnerTab = (typeof innerTabs)[number]['value']

/** The Automation tab: what runs by itself, its runs, and the summaries of weeks. */
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
      // as high as the window, like what stood here before: what is below comes into sight once
      <LoadingRegion label={text('loading')} className="flex min-h-dvh justify-center py-16">
        <Spinner />
      </LoadingRegion>
    )
  }
  if (query.isError)
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

const steps = ['backend', 'module', 'routes', 'permissions'] as const

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
            {steps.map((step) => (
              <li key={step}>{text(`failed.steps.${step}`)}</li>
            ))}
          </ul>
        </div>
      </Card>
    </div>
  )
}
