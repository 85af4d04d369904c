import type { AutomationRunJson } from '@mira/shared'
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useSentenceText } from '../../lib/sentences.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Progress } from '../../ui/progress.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { runsQuery } from './automation-queries.ts'
import { RunDialog } from './run-dialog.tsx'
import { RunStatusBadge, TaskIcon, useTaskWords } from './task-look.tsx'

/** The runs, newest first, page by page. */
export function RunsList() {
  const text = useText('automation')
  const query = useInfiniteQuery(runsQuery)
  const [opened, setOpened] = useState<string | null>(null)
  if (query.isPending) {
    return (
      <LoadingRegion label={text('loading')}>
        <Skeleton className="h-64 rounded-card" />
      </LoadingRegion>
    )
  }
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? []
  if (query.isError && runs.length === 0) {
    return (
      <Card>
        <LoadFailed query={query} />
      </Card>
    )
  }
  if (runs.length === 0) {
    return (
      <Card className="py-8">
        <EmptyState icon={<History />} title={text('runs.empty')} level={3} />
      </Card>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <ul aria-label={text('tabs.runs')} className="flex flex-col gap-3">
        {runs.map((run) => (
          <li key={run.id}>
            <RunLine run={run} onOpen={() => setOpened(run.id)} />
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <LoadMore
          label={text('runs.more')}
          loading={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
      {opened !== null && <RunDialog id={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}

function RunLine({ run, onOpen }: { run: AutomationRunJson; onOpen: () => void }) {
  const text = useText('automation')
  const taskWords = useTaskWords()
  const format = useFormat()
  const sentenceText = useSentenceText()
  const { name } = taskWords(run.task_type)
  const began = format.dateTime(run.started_at ?? run.created_at)
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <TaskIcon task={run.task_type} />
        <div className="min-w-0 flex-1 basis-44">
          <h3 className="text-14 font-semibold">{name}</h3>
          <p className="text-13 text-muted tabular-nums">{began}</p>
        </div>
        <RunStatusBadge status={run.status} />
      </div>
      {run.progress !== null && <Progress label={text('runs.progress')} value={run.progress * 100} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-13 text-muted">
        <span>
          {text('runs.duration', {
            duration: run.duration_seconds === null ? text('notAvailable') : format.duration(run.duration_seconds),
          })}
        </span>
        {run.results && (
          <>
            <span>{text('runs.items', { count: run.results.items_processed })}</span>
            <Badge tone={run.results.success ? 'success' : 'danger'}>
              {text(run.results.success ? 'runs.success' : 'runs.noSuccess')}
            </Badge>
          </>
        )}
        <Button
          size="sm"
          variant="ghost"
          className="ml-auto"
          aria-label={text('runs.detailsOf', { name, time: began })}
          onClick={onOpen}
        >
          {text('runs.details')}
        </Button>
      </div>
      {run.error_message && (
        <p className="text-14 wrap-anywhere text-danger-text">{sentenceText(run.error_message, run.error_told)}</p>
      )}
    </Card>
  )
}
