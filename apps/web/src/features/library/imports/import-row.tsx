import type { ImportFileSource, ImportJson } from '@mira/shared'
import { importFileSources, importsMedia, isServerSource, MAX_LISTED_FAILURES } from '@mira/shared/constants/media'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Import as ImportIcon, RotateCcw, Undo2, X } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { configQuery } from '../../../lib/loading/queries.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { importsKey } from './import-queries.ts'

const tones: Record<ImportJson['state'], BadgeTone> = {
  queued: 'neutral',
  running: 'accent',
  done: 'success',
  failed: 'danger',
  cancelled: 'warning',
  undoing: 'accent',
}

function kindOf({ source }: Pick<ImportJson, 'source'>): 'chat' | 'media' {
  return importsMedia(source) ? 'media' : 'chat'
}

/** An import with its source, progress or result, and actions. */
export function ImportRow({ job }: { job: ImportJson }) {
  const text = useText('imports')
  const sentenceText = useSentenceText()
  const format = useFormat()
  const { source, name, state, preview, found: foundCount, imported, skipped, completed, failed, error } = job
  const isOpen = state === 'queued' || state === 'running'
  const isUndoing = state === 'undoing'
  const isPreviewed = preview && state === 'done'
  const kind = kindOf(job)
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex min-w-0 items-center gap-2 text-14 font-medium">
            <span className="truncate">{text(`source.${source}`)}</span>
            <Badge tone={isPreviewed ? 'neutral' : tones[state]}>
              {text(isPreviewed ? 'state.counted' : `state.${state}`)}
            </Badge>
          </p>
          <p className="truncate text-13 text-muted" title={name}>
            {name} · <RelativeTime moment={job.created_at} />
          </p>
          {state !== 'failed' && !isOpen && !isUndoing && (
            <p className="mt-1 text-13">
              {isPreviewed
                ? text(`counted.${kind}`, { found: foundCount, skipped })
                : text(`result.${kind}`, { imported, skipped })}
            </p>
          )}
          {state === 'done' && completed > 0 && (
            <p className="text-13">{text(isPreviewed ? 'lacking' : 'completed', { count: completed })}</p>
          )}
          {isPreviewed && job.size_bytes !== null && (
            <p className="text-13 text-muted">
              {format.bytes(job.size_bytes)}
              {job.earliest_at !== null &&
                job.latest_at !== null &&
                ` · ${text('taken', { first: format.date(job.earliest_at), last: format.date(job.latest_at) })}`}
            </p>
          )}
          {error !== null && (
            <p className={`mt-1 text-13 ${isOpen ? 'text-warning-text' : 'text-danger-text'}`}>
              {sentenceText(error, job.told)}
            </p>
          )}
        </div>
        {!isUndoing && <Actions job={job} />}
      </div>
      <ImportProgress job={job} />
      {failed.length > 0 && (
        <details className="mt-2 text-13">
          <summary className="w-fit cursor-pointer touch-target text-muted hover:text-text">
            {text(failed.length < MAX_LISTED_FAILURES ? 'leftOut' : 'leftOutMany', { count: failed.length })}
          </summary>
          <ul className="mt-1 flex max-h-60 flex-col gap-1 overflow-y-auto rounded-control bg-surface-sunken p-3">
            {failed.map((failure, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same name may occur twice, and the list is never reordered
              <li key={index} className="break-words">
                <span className="font-medium">{failure.name === '' ? text('unnamed') : failure.name}</span>{' '}
                <span className="text-muted">{sentenceText(failure.reason, failure.told)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

/** Current phase of the import with its progress. */
function ImportProgress({ job }: { job: ImportJson }) {
  const text = useText('imports')
  const format = useFormat()
  const { source, state, preview, reading, found: foundCount, imported, skipped, unsearched } = job
  const phaseProgress = (label: string, doneCount: number, total: number, formatAmount: (amount: number) => string) => (
    <Progress
      className="mt-3"
      label={label}
      value={total === 0 ? null : (doneCount / total) * 100}
      detail={total === 0 ? undefined : text('progress', { done: formatAmount(doneCount), found: formatAmount(total) })}
    />
  )
  if (state === 'queued' || state === 'running') {
    if (reading !== null) return phaseProgress(text('counting'), reading.bytes, reading.of_bytes, format.bytes)
    if (preview) return phaseProgress(text(isServerSource(source) ? 'countingServer' : 'counting'), 0, 0, format.number)
    return phaseProgress(text(`bringing.${kindOf(job)}`), imported + skipped, foundCount, format.number)
  }
  if (state === 'undoing') {
    // a resumed import counts the items that it imported earlier as skipped, too
    const total = Math.max(foundCount - skipped, imported)
    return (
      <Progress
        className="mt-3"
        label={text('undoing')}
        value={total === 0 ? null : ((total - imported) / total) * 100}
        detail={imported === 0 ? undefined : text('left', { count: imported })}
      />
    )
  }
  if (unsearched === 0) return null
  // a cancelled import may have stored more than its last count says
  const stored = Math.max(imported, unsearched)
  return phaseProgress(text('preparingSearch'), stored - unsearched, stored, format.number)
}

function Actions({ job }: { job: ImportJson }) {
  const text = useText('imports')
  const { name, state, preview, found: foundCount, imported, skipped, completed } = job
  const { start, remove, previewAs, confirmRemoval } = useImportActions(job)
  const detectedSource = findDetectedSource(job)
  const isOpen = state === 'queued' || state === 'running'
  const remainingCount = foundCount - skipped - completed
  const canStart = remainingCount > 0 || completed > 0
  // a preview, or a failed import that stored nothing, has nothing to undo
  const isDiscardable = preview || (state === 'failed' && imported === 0 && completed === 0)
  return (
    <div className="flex flex-wrap items-center gap-1">
      {preview && state === 'done' && canStart && (
        <Button
          size="sm"
          variant="primary"
          icon={<ImportIcon aria-hidden />}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {remainingCount > 0 ? text(`bring.${kindOf(job)}`, { count: remainingCount }) : text('complete')}
        </Button>
      )}
      {detectedSource !== null && (
        <Button
          size="sm"
          icon={<RotateCcw aria-hidden />}
          loading={previewAs.isPending}
          onClick={() => previewAs.mutate(detectedSource)}
        >
          {text('countAs', { source: text(`source.${detectedSource}`) })}
        </Button>
      )}
      <Button
        size="sm"
        variant="ghost"
        icon={isOpen || isDiscardable ? <X aria-hidden /> : <Undo2 aria-hidden />}
        aria-label={text(isOpen ? 'cancelOne' : isDiscardable ? 'dropOne' : 'undoOne', { name })}
        loading={remove.isPending}
        onClick={() => (isOpen || isDiscardable ? remove.mutate() : void confirmRemoval())}
      >
        {text(isOpen ? 'cancel' : isDiscardable ? 'drop' : 'undo')}
      </Button>
    </div>
  )
}

/** Actual source of a file that was rejected as another program's; null when none was detected or the file is gone. */
function findDetectedSource({ has_file: hasFile, told: sentences }: ImportJson) {
  const detected = sentences.find(({ code }) => code === 'import_seems_of')
  if (!hasFile || detected === undefined) return null
  return importFileSources.find((source) => source.replace('-', '') === detected.params.source) ?? null
}

function useImportActions({ id, name, source, imported }: ImportJson) {
  const text = useText('imports')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries({ queryKey: importsKey })
  const onError = (error: Error) => {
    console.error('The import could not be changed', error)
    showToast({ tone: 'danger', title: text('failed'), description: errorText(error) })
  }
  const start = useMutation({
    mutationFn: () => call('POST /imports/:id/start', { params: { id } }),
    onSettled,
    onError,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /imports/:id', { params: { id }, query: { wait: 1 } }),
    onSettled,
    onError,
  })
  const previewAs = useMutation({
    mutationFn: (correctSource: ImportFileSource) =>
      call('POST /imports/:id/source', { params: { id }, json: { source: correctSource } }),
    onSettled,
    onError,
  })
  const confirmRemoval = async () => {
    const config = await queryClient.fetchQuery({ ...configQuery, staleTime: 60_000, retry: false }).catch(onError)
    if (!config) return
    const { days } = config.trash
    const isConfirmed = await confirm({
      question: text('undoQuestion', { name }),
      detail: text(`undoDetail.${days === 0 ? 'forGood' : 'toTrash'}.${kindOf({ source })}`, { count: imported, days }),
      confirmLabel: text('undo'),
      tone: 'danger',
    })
    if (isConfirmed) remove.mutate()
  }
  return { start, remove, previewAs, confirmRemoval }
}
