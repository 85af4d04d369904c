import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { call } from '../../lib/api/client.ts'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { Progress } from '../../ui/progress.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { isFiltered, type LibraryFilters } from './library-filters.ts'

const PROGRESS_MS = 2_000
const improvementKey = ['media-improvement']

/** Progress of the reprocessing, regardless of the device that started it. */
function useImprovement(isListed: boolean) {
  return useQuery({
    enabled: isListed,
    queryKey: improvementKey,
    queryFn: ({ signal }) => call('GET /media/reprocess', { signal }),
    refetchInterval: ({ state }) => (state.data?.is_running ? PROGRESS_MS : false),
  }).data
}

/** Lets everything that is listed be done again by the engines of today. */
export function ImproveAll({ filters, total, isListed }: ImproveAllProps) {
  const text = useText('gallery')
  const confirm = useConfirm()
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const isRunning = useImprovement(isListed)?.is_running ?? false
  const improve = useMutation({
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
    onSuccess: (started) => queryClient.setQueryData(improvementKey, started),
    onError: (error) => {
      console.error('The library could not be processed again', error)
      showToast({ tone: 'danger', title: text('improveAll.failed'), description: errorText(error) })
    },
  })
  if (total === 0) return null
  const ask = async () => {
    const isWanted = await confirm({
      question: text('improveAll.question', { count: total }),
      detail: text('improveAll.detail'),
      confirmLabel: text('improveAll.confirm'),
      tone: 'primary',
    })
    if (isWanted) improve.mutate()
  }
  const label = text(isFiltered(filters) ? 'improveAll.shown' : 'improveAll.all')
  return (
    <Button
      icon={<RotateCw aria-hidden />}
      loading={improve.isPending}
      disabled={isRunning}
      title={label}
      onClick={() => void ask()}
      className="max-sm:border-transparent max-sm:bg-transparent max-sm:px-2.5"
    >
      <span className="max-sm:sr-only">{label}</span>
    </Button>
  )
}

type ImproveAllProps = {
  filters: LibraryFilters
  total: number
  /** True once the library is on screen, so that these requests don't delay it. */
  isListed: boolean
}

/** Progress of the reprocessing; hidden while there's none. */
export function ImprovementProgress({ isListed }: Pick<ImproveAllProps, 'isListed'>) {
  const text = useText('gallery')
  const format = useFormat()
  const improvement = useImprovement(isListed)
  if (!improvement?.is_running) return null
  const { done: doneCount, total } = improvement
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
