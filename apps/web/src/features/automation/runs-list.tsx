import type { AutomationRunJson } from '@mira/shared'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, History, RotateCcw, Square } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { LoadFailed, NextPage } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../lib/i18n/sentences.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Progress } from '../../ui/progress.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useCloseIfMounted } from '../../ui/use-close-if-mounted.ts'
import { automationKey, fetchDataset, runQuery, runsQuery } from './automation-queries.ts'
import { RunStatusBadge, TaskIcon, useTaskWords } from './task-display.tsx'

const stepCodes = [
  'vectors_text',
  'vectors_image',
  'failed_steps',
  'orphans',
  'verify',
  'known_items',
  'intents',
  'tags',
  'dataset',
  'training',
] as const

/** Translates a step's code; unknown codes of newer servers are shown as they are. */
function useStepName(): (code: string) => string {
  const text = useText('automation')
  const format = useFormat()
  return (code) => {
    const name = stepCodes.find((one) => one === code)
    if (name) return text(`stepNames.${name}`)
    const [, date] = /^week (\d{4}-\d{2}-\d{2})$/.exec(code) ?? []
    return date ? text('stepNames.week', { date: format.date(`${date}T12:00:00Z`) }) : code
  }
}

const stepTones = { running: 'accent', completed: 'success', failed: 'danger' } as const

/** Details of a run: its steps with items and errors, and its log; it can be cancelled or retried. */
function RunDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('automation')
  const taskWords = useTaskWords()
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const sentenceText = useSentenceText()
  const stepName = useStepName()
  const queryClient = useQueryClient()
  const query = useQuery(runQuery(id))
  const run = query.data
  const close = useCloseIfMounted(onClose)
  const act = useMutation({
    mutationFn: (action: () => Promise<void>) => action(),
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: automationKey }),
  })
  const isRunning = run?.status === 'running' || run?.status === 'pending'
  const download = async () => saveFile({ blob: await fetchDataset(id), name: `mira-training-${id}.jsonl` })
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={run ? taskWords(run.task_type).name : text('runs.details')}
      closeLabel={appText('common.close')}
      size="md"
      footer={
        run && (
          <>
            {run.has_dataset && (
              <Button icon={<Download aria-hidden />} loading={act.isPending} onClick={() => act.mutate(download)}>
                {text('runs.dataset')}
              </Button>
            )}
            {isRunning ? (
              <Button
                variant="danger"
                icon={<Square aria-hidden />}
                loading={act.isPending}
                onClick={() => act.mutate(() => call('POST /automation/runs/:id/cancel', { params: { id } }))}
              >
                {text('runs.cancel')}
              </Button>
            ) : (
              <Button
                icon={<RotateCcw aria-hidden />}
                loading={act.isPending}
                onClick={() =>
                  act.mutate(() => call('POST /automation/runs/:id/retry', { params: { id } }).then(close))
                }
              >
                {text('runs.retry')}
              </Button>
            )}
          </>
        )
      }
    >
      {query.isPending && (
        <LoadingRegion label={text('loading')} className="flex justify-center py-8">
          <Spinner />
        </LoadingRegion>
      )}
      {query.isLoadingError && <LoadFailed query={query} />}
      {run && (
        <div className="flex flex-col gap-5 text-14">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <RunStatusBadge status={run.status} />
            <span className="text-muted tabular-nums">{format.dateTime(run.started_at ?? run.created_at)}</span>
            <span className="text-muted">{text(`runs.triggers.${run.trigger}`)}</span>
          </div>
          {run.error_message && (
            <p className="wrap-anywhere text-danger-text">{sentenceText(run.error_message, run.error_told)}</p>
          )}
          <section>
            <h3 className="mb-2 font-medium">{text('runs.steps')}</h3>
            {run.steps.length === 0 && <p className="text-muted">{text('runs.noSteps')}</p>}
            <ol className="flex flex-col divide-y divide-border">
              {run.steps.map((step) => (
                <li key={step.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                  <span className="min-w-0 flex-1 text-13 wrap-anywhere">{stepName(step.name)}</span>
                  <span className="text-13 text-muted tabular-nums">
                    {step.total === null
                      ? text('runs.items', { count: step.items })
                      : text('runs.itemsOf', { done: format.number(step.items), total: format.number(step.total) })}
                  </span>
                  <Badge tone={stepTones[step.status]}>{text(`statuses.${step.status}`)}</Badge>
                  {step.error && (
                    <p className="w-full text-13 wrap-anywhere text-danger-text">
                      {sentenceText(step.error, step.error_told)}
                    </p>
                  )}
                </li>
              ))}
            </ol>
          </section>
          {run.log.length > 0 && (
            <section>
              <h3 className="mb-2 font-medium">{text('runs.log')}</h3>
              <ul className="flex flex-col gap-1.5 text-13">
                {run.log.map((line, index) => (
                  <li
                    // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
                    key={index}
                    className={line.level === 'error' ? 'wrap-anywhere text-danger-text' : 'wrap-anywhere'}
                  >
                    <span className="text-muted tabular-nums">{format.time(line.at)}</span>{' '}
                    {sentenceText(line.text, line.told)}
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
      )}
    </Dialog>
  )
}

/** List of runs, newest first. */
export function RunsList() {
  const text = useText('automation')
  const query = useInfiniteQuery(runsQuery)
  const [openedRunId, setOpenedRunId] = useState<string | null>(null)
  if (query.isPending) {
    return (
      <LoadingRegion label={text('loading')}>
        <Skeleton className="h-64 rounded-card" />
      </LoadingRegion>
    )
  }
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? []
  if (query.isLoadingError) {
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
            <RunLine run={run} onOpen={() => setOpenedRunId(run.id)} />
          </li>
        ))}
      </ul>
      <NextPage query={query} label={text('runs.more')} />
      {openedRunId !== null && <RunDialog id={openedRunId} onClose={() => setOpenedRunId(null)} />}
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
