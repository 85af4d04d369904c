import type { MediaStats } from '@mira/shared'
import { mediaTypes } from '@mira/shared/constants/media'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Info, Loader, NotebookPen, RotateCw, Trash2, TriangleAlert } from 'lucide-react'
import { lazy, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { newNotePath, trashPath } from '../../lib/session/paths.ts'
import { Badge, badgeClass } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { PartBoundary } from '../../ui/lazy-part.tsx'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { Progress } from '../../ui/progress.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { isFiltered, type LibraryFilters, statsQuery } from './library-queries.ts'

const PROGRESS_MS = 2_000
const reprocessingKey = ['media-improvement']

/** Progress of reprocessing the library, whichever device started it; polled while it's running. */
function useLibraryReprocessing(isListed: boolean) {
  return useQuery({
    enabled: isListed,
    queryKey: reprocessingKey,
    queryFn: ({ signal }) => call('GET /media/reprocess', { signal }),
    refetchInterval: ({ state }) => (state.data?.is_running ? PROGRESS_MS : false),
  }).data
}

/** Reprocesses all listed items with the current engines. */
function ReprocessAll({ filters, total, isListed }: ReprocessAllProps) {
  const text = useText('gallery')
  const confirm = useConfirm()
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const isRunning = useLibraryReprocessing(isListed)?.is_running ?? false
  const reprocess = useMutation({
    mutationFn: () =>
      call('POST /media/reprocess', {
        json: {
          filter: {
            ...(filters.query !== '' && { query: filters.query }),
            ...(filters.type !== null && { media_type: filters.type }),
            ...(filters.tag !== null && { tag: filters.tag }),
            ...(filters.status !== null && { status: filters.status }),
          },
        },
      }),
    onSuccess: (started) => queryClient.setQueryData(reprocessingKey, started),
    onError: (error) => {
      console.error('Failed to reprocess the library', error)
      showToast({ tone: 'danger', title: text('improveAll.failed'), description: errorText(error) })
    },
  })
  if (total === 0) return null
  const ask = async () => {
    const isConfirmed = await confirm({
      question: text('improveAll.question', { count: total }),
      detail: text('improveAll.detail'),
      confirmLabel: text('improveAll.confirm'),
      tone: 'primary',
    })
    if (isConfirmed) reprocess.mutate()
  }
  const label = text(isFiltered(filters) ? 'improveAll.shown' : 'improveAll.all')
  return (
    <Button
      icon={<RotateCw aria-hidden />}
      loading={reprocess.isPending}
      disabled={isRunning}
      title={label}
      onClick={() => void ask()}
      className="max-sm:border-transparent max-sm:bg-transparent max-sm:px-2.5"
    >
      <span className="max-sm:sr-only">{label}</span>
    </Button>
  )
}

type ReprocessAllProps = {
  filters: LibraryFilters
  total: number
  /** True once the library is on screen; requests made before would delay it. */
  isListed: boolean
}

/** Progress bar of reprocessing the library; hidden unless it's running. */
export function ReprocessingProgress({ isListed }: Pick<ReprocessAllProps, 'isListed'>) {
  const text = useText('gallery')
  const format = useFormat()
  const reprocessing = useLibraryReprocessing(isListed)
  if (!reprocessing?.is_running) return null
  const { done: doneCount, total } = reprocessing
  return (
    <Progress
      className="mt-2 mb-4"
      label={text('improveAll.running')}
      tone="ai"
      value={total === 0 ? null : (100 * doneCount) / total}
      detail={text('improveAll.progress', { done: format.number(doneCount), total: format.number(total) })}
    />
  )
}

const PopoverPanel = lazy(() =>
  import('../../ui/popover-panel.tsx').then((module) => ({ default: module.PopoverPanel })),
)

/** Numbers of items being processed and failed, and a button that shows the number of items by type and their total size. */
function LibraryStats({ isListed, onFilter }: LibraryStatsProps) {
  const text = useText('gallery')
  const format = useFormat()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const query = useQuery({ ...statsQuery, enabled: isListed || isOpen })
  const stats = query.data
  return (
    <>
      {stats !== undefined && stats.processing > 0 && (
        <Badge tone="accent" icon={<Loader aria-hidden className="animate-spin" />}>
          <span aria-hidden className="sm:hidden">
            {format.number(stats.processing)}
          </span>
          <span className="max-sm:sr-only">{text('stats.processing', { count: stats.processing })}</span>
        </Badge>
      )}
      {stats !== undefined && stats.failed > 0 && (
        <button
          type="button"
          onClick={() => onFilter({ status: 'failed' })}
          className={badgeClass('danger', 'relative touch-area shade-on-hover')}
        >
          <TriangleAlert aria-hidden />
          <span aria-hidden className="sm:hidden">
            {format.number(stats.failed)}
          </span>
          <span className="max-sm:sr-only">{text('stats.failed', { count: stats.failed })}</span>
        </button>
      )}
      {stats !== undefined && (
        <p className="text-13 text-muted tabular-nums max-md:sr-only">
          {[
            text('stats.items', { count: stats.total_items }),
            ...mediaTypes.flatMap((type) =>
              stats.by_type[type] > 0 ? [`${text(`types.${type}`)} ${format.number(stats.by_type[type])}`] : [],
            ),
            format.bytes(stats.total_bytes),
          ].join(' · ')}
        </p>
      )}
      <IconButton
        ref={button}
        name={text('stats.label')}
        icon={<Info aria-hidden />}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setIsOpen((isShown) => !isShown)}
      />
      {isOpen && (
        <PartBoundary onError={() => setIsOpen(false)}>
          <PopoverPanel anchor={button} title={text('stats.label')} onClose={() => setIsOpen(false)}>
            {query.isLoadingError ? <LoadFailed query={query} /> : <Figures stats={stats} />}
          </PopoverPanel>
        </PartBoundary>
      )}
    </>
  )
}

type LibraryStatsProps = {
  /** True once the library is on screen; requests made before would delay it. */
  isListed: boolean
  onFilter: (change: Partial<LibraryFilters>) => void
}

function Figures({ stats }: { stats: MediaStats | undefined }) {
  const text = useText('gallery')
  const format = useFormat()
  return (
    <dl className="grid grid-cols-3 gap-x-3 gap-y-4">
      <Figure label={text('stats.total')} value={stats && format.number(stats.total_items)} isMain />
      {mediaTypes.map((type) => (
        <Figure
          key={type}
          label={text(`types.${type}`)}
          icon={<MediaIcon type={type} className="size-3.5" />}
          value={stats && format.number(stats.by_type[type])}
        />
      ))}
      <Figure label={text('stats.size')} value={stats && format.bytes(stats.total_bytes)} />
    </dl>
  )
}

function Figure({ label, icon, value, isMain = false }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col-reverse gap-0.5">
      <dt className="flex items-center gap-1.5 text-12 text-muted">
        {icon}
        <span className="truncate">{label}</span>
      </dt>
      <dd
        className={
          isMain
            ? 'text-20 font-semibold whitespace-nowrap tabular-nums'
            : 'text-20 font-medium whitespace-nowrap tabular-nums'
        }
      >
        {value ?? <Skeleton className="h-6 w-10" />}
      </dd>
    </div>
  )
}

type FigureProps = { label: string; icon?: React.ReactNode; value: string | undefined; isMain?: boolean }

/** Page header, on one line if possible, so that pictures start near the top; figures and rarer actions are at its end. */
export function LibraryHeader({ filters, onChangeFilters, total, isListed }: LibraryHeaderProps) {
  const text = useText('gallery')
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-3 sm:pt-6">
      <div className="flex flex-1 items-baseline gap-x-3 whitespace-nowrap">
        <h1 className="text-20 font-semibold sm:text-24">{text('title')}</h1>
        <p className={total === 0 ? 'text-14 text-muted max-lg:sr-only' : 'sr-only'}>{text('subtitle')}</p>
      </div>
      <div className="ml-auto flex items-center gap-1 sm:gap-2">
        <LibraryStats isListed={isListed} onFilter={onChangeFilters} />
        <ReprocessAll filters={filters} total={total} isListed={isListed} />
        <Link
          to={trashPath('items')}
          aria-label={text('trash')}
          title={text('trash')}
          className={buttonClass({ className: 'px-2.5 max-sm:border-transparent max-sm:bg-transparent' })}
        >
          <Trash2 aria-hidden />
        </Link>
        <Link
          to={newNotePath}
          title={text('note.write')}
          className={buttonClass({ className: 'max-sm:border-transparent max-sm:bg-transparent max-sm:px-2.5' })}
        >
          <NotebookPen aria-hidden />
          <span className="max-sm:sr-only">{text('note.write')}</span>
        </Link>
      </div>
    </header>
  )
}

type LibraryHeaderProps = {
  filters: LibraryFilters
  onChangeFilters: (change: Partial<LibraryFilters>) => void
  total: number
  /** True once the library is on screen; requests made before would delay it. */
  isListed: boolean
}
