import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api/client.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'
import { AutomationError, fetchAutomationStatus, triggerTask } from './automation-status.ts'

/** The beginning of the keys of everything about the automation. */
export const automationKey = ['automation']
/** Time for a triggered run to start before the list is refreshed. */
const REFRESH_AFTER_MS = 1_000

export const statusQuery = queryOptions({
  queryKey: [...automationKey, 'status'],
  queryFn: ({ signal }) => fetchAutomationStatus(signal),
  retry: false,
  staleTime: 0,
})

export const runsQuery = infiniteQueryOptions({
  queryKey: [...automationKey, 'runs'],
  queryFn: ({ pageParam, signal }) =>
    call('GET /automation/runs', { signal, query: { limit: 10, cursor: pageParam } }).catch(logged),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
  staleTime: 0,
})

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [...automationKey, 'run', id],
    queryFn: ({ signal }) => call('GET /automation/runs/:id', { params: { id }, signal }),
    staleTime: 0,
  })

export const summariesQuery = queryOptions({
  queryKey: [...automationKey, 'summaries'],
  queryFn: ({ signal }) => call('GET /automation/summaries', { signal, query: { limit: 5 } }).catch(logged),
  staleTime: 0,
})

function logged(error: unknown): never {
  console.error('The automation could not be read', error)
  throw error
}

const noValues = { status: '', statusText: '', body: '', message: '', type: '', start: '', detail: '' }

/** Translates an error. */
export function useAutomationErrorText(): (error: unknown) => string {
  const text = useText('automation')
  return (error) => {
    if (error instanceof AutomationError) return text(`errors.${error.kind}`, { ...noValues, ...error.values })
    return text('errors.other', { message: error instanceof Error ? error.message : String(error) })
  }
}

/** Runs a task now, and looks at it a second later. */
export function useTrigger() {
  const text = useText('automation')
  const errorText = useAutomationErrorText()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (taskType: string) => triggerTask(taskType),
    onSuccess: (_answer, type) => {
      showToast({ tone: 'success', title: text('triggered', { type }) })
      setTimeout(() => void queryClient.invalidateQueries({ queryKey: automationKey }), REFRESH_AFTER_MS)
    },
    onError: (error) => {
      showToast({ tone: 'danger', title: errorText(error) })
    },
  })
}
