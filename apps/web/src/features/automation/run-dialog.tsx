import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, RotateCcw, Square } from 'lucide-react'
import { cancelRun, fetchDataset, retryRun } from '../../api/automation.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { useSentenceText } from '../../lib/sentences.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { automationKey, runQuery } from './automation-queries.ts'
import { useStepName } from './step-name.ts'
import { RunStatusBadge, useTaskWords } from './task-look.tsx'

const stepTones = { running: 'accent', completed: 'success', failed: 'danger' } as const

/** The trace of a run: its steps with their items and errors, and what it wrote down; it can be cancelled or tried again. */
export function RunDialog({ id, onClose }: { id: string; onClose: () => void }) {
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
  const act = useMutation({
    mutationFn: (action: () => Promise<void>) => action(),
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: automationKey }),
  })
  const isGoingOn = run?.status === 'running' || run?.status === 'pending'
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
            {isGoingOn ? (
              <Button
                variant="danger"
                icon={<Square aria-hidden />}
                loading={act.isPending}
                onClick={() => act.mutate(() => cancelRun(id))}
              >
                {text('runs.cancel')}
              </Button>
            ) : (
              <Button
                icon={<RotateCcw aria-hidden />}
                loading={act.isPending}
                onClick={() => act.mutate(() => retryRun(id).then(onClose))}
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
      {query.isError && !run && <LoadFailed query={query} />}
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
                {run.log.map((line, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
                  <li key={at} className={line.level === 'error' ? 'wrap-anywhere text-danger-text' : 'wrap-anywhere'}>
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
