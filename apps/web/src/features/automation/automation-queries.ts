import type { AutomationStatusResponseJson, AutomationTaskJson } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { apiUrl, call, callForResponse, requestHeaders, toApiError, withoutUndefined } from '../../lib/api/client.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { tokenStore } from '../../lib/session/token.ts'
import { showToast } from '../../ui/show-toast.ts'

const MAX_QUOTED_CHARACTERS = 200
/** Reason recorded in runs that the user starts. */
const MANUAL_REASON = 'Manual trigger from dashboard'

/** Failure to load or change automations; `values` are the parameters of the text named after `kind`, `cause` the server's error. */
export class AutomationError extends Error {
  readonly kind: 'missing' | 'health' | 'network' | 'http' | 'notJson' | 'shape' | 'other' | 'refused' | 'unsent'
  readonly values: Record<string, string>
  constructor(kind: AutomationError['kind'], values: Record<string, string> = {}, options?: ErrorOptions) {
    super(`${kind} ${Object.values(values).join(' ')}`, options)
    this.name = 'AutomationError'
    this.kind = kind
    this.values = values
  }
}

/** Sends a request and returns the raw response for any status but 401, because error messages quote it. */
async function rawCall(path: string, options: { signal?: AbortSignal; json?: unknown } = {}): Promise<Response> {
  const token = tokenStore.get()
  const response = await fetch(apiUrl(path), {
    method: options.json === undefined ? 'GET' : 'POST',
    headers: withoutUndefined({
      ...requestHeaders(token),
      'Content-Type': options.json === undefined ? undefined : 'application/json',
    }),
    body: options.json === undefined ? undefined : JSON.stringify(options.json),
    signal: options.signal ?? null,
    credentials: 'omit',
  })
  if (response.status === 401) throw toApiError(response, await response.text().catch(() => ''), token)
  return response
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Checks that automations are available. @throws AutomationError when they aren't. */
async function requireHealth(signal?: AbortSignal): Promise<void> {
  const response = await rawCall('/automation/health', { signal }).catch((error: unknown) => {
    throw signal?.aborted ? error : new AutomationError('network', { message: messageOf(error) })
  })
  if (response.status === 404) throw new AutomationError('missing')
  if (!response.ok) {
    const body = await response.text().catch(() => '')
    throw new AutomationError('health', { status: String(response.status), body: cutText(body, MAX_QUOTED_CHARACTERS) })
  }
}

const defaultStatus: Partial<AutomationStatus> = { scheduler_running: false, active_jobs: 0, current_runs: 0 }

/** Status of the scheduled tasks; a newer server may have tasks that aren't known here. */
type AutomationStatus = Omit<AutomationStatusResponseJson['automation_status'], 'tasks'> & {
  tasks: Record<string, AutomationTaskJson>
}

/** Checks that automations are available, then loads the status of the tasks. @throws AutomationError. */
export async function fetchAutomationStatus(signal?: AbortSignal): Promise<AutomationStatus> {
  await requireHealth(signal)
  try {
    const response = await rawCall('/automation/status', { signal })
    if (!response.ok) {
      throw new AutomationError('http', { status: String(response.status), statusText: response.statusText })
    }
    const type = response.headers.get('content-type') ?? ''
    const body = await response.text()
    if (!type.includes('application/json')) {
      throw new AutomationError('notJson', { type, start: cutText(body, MAX_QUOTED_CHARACTERS) })
    }
    const parsed: unknown = JSON.parse(body)
    if (!isStatus(parsed)) throw new AutomationError('shape')
    return { ...defaultStatus, ...parsed.automation_status, tasks: tasksOf(parsed) }
  } catch (error) {
    if (error instanceof AutomationError || signal?.aborted) throw error
    throw new AutomationError('other', { message: messageOf(error) })
  }
}

function isStatus(parsed: unknown): parsed is AutomationStatusResponseJson {
  const { success, automation_status: status } = (parsed ?? {}) as Partial<AutomationStatusResponseJson>
  return success === true && typeof status === 'object' && status !== null
}

/** The response's tasks, including unknown ones; empty when it has none. */
function tasksOf({ automation_status: { tasks } }: AutomationStatusResponseJson): Record<string, AutomationTaskJson> {
  return typeof tasks === 'object' && tasks !== null ? tasks : {}
}

/** Runs a task now. @throws AutomationError. */
export async function triggerTask(taskType: string): Promise<void> {
  const response = await rawCall('/automation/trigger', { json: { task_type: taskType, reason: MANUAL_REASON } }).catch(
    (error: unknown) => {
      throw new AutomationError('unsent', { message: messageOf(error) })
    },
  )
  if (response.ok) return
  const body = await response.text().catch(() => '')
  const cause = toApiError(response, body, tokenStore.get())
  throw new AutomationError('refused', { detail: detailOf(body) }, { cause })
}

/** Beginning of the error's `detail`, or of the response when it has none. */
function detailOf(body: string): string {
  return cutText(parsedDetail(body) ?? body, MAX_QUOTED_CHARACTERS)
}

function parsedDetail(body: string): string | null {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown }
    return typeof detail === 'string' ? detail : null
  } catch {
    return null
  }
}

/** The training set of a run. */
export async function fetchDataset(id: string): Promise<Blob> {
  return (await callForResponse('GET /automation/runs/:id/dataset', { params: { id }, timeoutMs: null })).blob()
}

/** Prefix of all query keys about automations. */
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
  console.error('Failed to load automations', error)
  throw error
}

const noValues = { status: '', statusText: '', body: '', message: '', type: '', start: '', detail: '' }

/** Translates an error. */
export function useAutomationErrorText(): (error: unknown) => string {
  const text = useText('automation')
  const errorText = useErrorText()
  return (error) => {
    if (error instanceof AutomationError) {
      const { detail = '' } = error.values
      const translated = { detail: cutText(errorText(error.cause, detail), MAX_QUOTED_CHARACTERS) }
      return text(`errors.${error.kind}`, { ...noValues, ...error.values, ...translated })
    }
    return text('errors.other', { message: error instanceof Error ? error.message : String(error) })
  }
}

/** Runs a task now, and refreshes the list a second later. */
export function useTriggerTask() {
  const text = useText('automation')
  const errorText = useAutomationErrorText()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (taskType: string) => triggerTask(taskType),
    onSuccess: (_response, type) => {
      showToast({ tone: 'success', title: text('triggered', { type }) })
      setTimeout(() => void queryClient.invalidateQueries({ queryKey: automationKey }), REFRESH_AFTER_MS)
    },
    onError: (error) => {
      showToast({ tone: 'danger', title: errorText(error) })
    },
  })
}
