import type { MeJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { call, callPage } from '../../../lib/api/client.ts'
import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { adminPath, adminSettingsPath, FIRST_STEPS_PARAMETER, paths } from '../../../lib/session/paths.ts'
import { session, useUser } from '../../../lib/session/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'

/** Minimum number of uploads for a search to be worthwhile. */
const MIN_UPLOADS = 3

/** Number of the latest searches that are checked for results. */
const MAX_SEARCHES = 25

interface InstanceStatus {
  /** True when a model is connected, even if it doesn't respond right now. */
  hasModel: boolean
  hasLocalModel: boolean
  /** True when the operator allows local models. */
  mayRunModels: boolean
  hasBackup: boolean
  people: number
}

/** Counts for the first steps. */
interface FirstStepCounts {
  conversations: number
  uploads: number
  /** Searches with results. */
  searches: number
  /** Status of the instance; null unless the user is an administrator. */
  instance: InstanceStatus | null
}

interface FirstStep {
  /** Its text has the key `steps.<name>`. */
  name: 'model' | 'localModels' | 'backup' | 'people' | 'upload' | 'search' | 'ask'
  isDone: boolean
  /** False for optional steps, which don't count toward completion. */
  isNeeded: boolean
  path: string
  /** Current count, for steps that count something. */
  count?: number
}

/** Counts for the user's steps; refetched with the overview. */
function firstStepsQuery(user: MeJson) {
  return queryOptions({
    queryKey: ['overview', 'figures', 'first-steps', user.id],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<FirstStepCounts> => {
      const [figures, searches, instance] = await Promise.all([
        call('GET /dashboard/overview', { signal }),
        can(user, 'upload') ? countSearches(signal) : 0,
        can(user, 'admin') ? readInstance(signal) : null,
      ])
      return { conversations: figures.chat_sessions, uploads: figures.media_items, searches, instance }
    },
  })
}

/** Counts of a new user. */
function initialCounts(user: MeJson): FirstStepCounts {
  const instance = { hasModel: false, hasLocalModel: false, mayRunModels: true, hasBackup: false, people: 1 }
  return { conversations: 0, uploads: 0, searches: 0, instance: can(user, 'admin') ? instance : null }
}

/** Number of searches with results among the latest ones. */
async function countSearches(signal: AbortSignal): Promise<number> {
  const { entries } = await call('GET /memory/logs', {
    signal,
    query: {
      query: '',
      type: 'memory_search',
      sentiment: 'all',
      content_type: 'all',
      range: 'all',
      limit: MAX_SEARCHES,
      cursor: null,
    },
  })
  return entries.filter(({ results_count }) => (results_count ?? 0) > 0).length
}

async function readInstance(signal: AbortSignal): Promise<InstanceStatus> {
  const [health, local, users] = await Promise.all([
    call('GET /dashboard/health', { signal }),
    call('GET /admin/models', { signal }),
    callPage('GET /admin/users', { signal, query: { limit: 2 } }),
  ])
  return {
    hasModel: health.ai_service !== 'warning',
    hasLocalModel: local.models.some(({ state }) => state === 'ready'),
    mayRunModels: local.is_enabled,
    hasBackup: health.last_backup !== null,
    people: users.items.length,
  }
}

/** Steps that apply to this user, in the recommended order. */
export function firstStepsOf(
  user: MeJson,
  { conversations, uploads, searches, instance }: FirstStepCounts,
): FirstStep[] {
  const steps: FirstStep[] = []
  if (instance) {
    steps.push(
      neededStep('model', instance.hasModel, adminPath('settings')),
      {
        ...neededStep('localModels', instance.hasLocalModel, adminSettingsPath('models')),
        isNeeded: instance.mayRunModels && !instance.hasModel,
      },
      neededStep('backup', instance.hasBackup, adminSettingsPath('backups')),
      neededStep('people', instance.people > 1, adminPath('users')),
    )
  }
  if (can(user, 'upload')) {
    const count = Math.min(uploads, MIN_UPLOADS)
    steps.push(
      { ...neededStep('upload', count === MIN_UPLOADS, paths.upload), count },
      // nothing can be found before there are uploads
      neededStep('search', searches > 0 && uploads > 0, paths.memory),
    )
  }
  if (can(user, 'chat'))
    steps.push(neededStep('ask', conversations > 0 && (uploads > 0 || !can(user, 'upload')), paths.chat))
  return steps
}

const neededStep = (name: FirstStep['name'], isDone: boolean, path: string): FirstStep => ({
  name,
  isDone,
  isNeeded: true,
  path,
})

/** Checklist for new users. Steps are ticked off automatically; it's hidden once all are done or the user dismisses it. */
export function FirstSteps() {
  const text = useText('overview')
  const errorText = useErrorText()
  const user = useUser()
  const [parameters, setParameters] = useSearchParams()
  const isRequested = parameters.has(FIRST_STEPS_PARAMETER)
  const isVisible = isRequested || !user.preferences.hides_first_steps
  const { data, isLoadingError } = useQuery({ ...firstStepsQuery(user), enabled: isVisible })

  const steps = firstStepsOf(user, data ?? initialCounts(user))
  const neededSteps = steps.filter(({ isNeeded }) => isNeeded)
  const doneCount = neededSteps.filter(({ isDone }) => isDone).length
  const areDone = data !== undefined && doneCount === neededSteps.length
  const wereDone = useWereDoneBefore(user.id, data === undefined ? undefined : areDone)
  if (!isVisible || steps.length === 0) return null
  // While loading, the invisible list reserves its space, so that nothing below it moves.
  if (data === undefined ? isLoadingError || (wereDone && !isRequested) : areDone && !isRequested) return null

  const dismiss = async () => {
    setParameters({}, { replace: true })
    try {
      await call('PATCH /me/preferences', { json: { hides_first_steps: true }, keepalive: true })
      await session.refresh()
    } catch (error) {
      showToast({ tone: 'danger', title: errorText(error) })
    }
  }

  return (
    <div className={`mt-4 border-t border-accent/20 pt-3${data === undefined ? ' invisible' : ''}`}>
      <div className="flex items-center justify-between gap-3">
        <h3 id="first-steps" className="text-14 font-semibold">
          {text('steps.title')}{' '}
          <span className="ml-1 text-13 font-normal text-muted tabular-nums">
            {text('steps.progress', { done: doneCount, count: neededSteps.length })}
          </span>
        </h3>
        <IconButton name={text('steps.hide')} icon={<X aria-hidden />} size="sm" onClick={() => void dismiss()} />
      </div>
      <ol aria-labelledby="first-steps" className="mt-1 grid gap-x-6 sm:grid-cols-2">
        {steps.map((step) => (
          <Step key={step.name} {...step} isOnly={steps.length === 1} />
        ))}
      </ol>
    </div>
  )
}

/** True when all steps were done at the last visit in this browser; stores the current state for the next visit. */
function useWereDoneBefore(userId: string, areDone: boolean | undefined): boolean {
  const key = `first-steps-done-${userId}`
  useEffect(() => {
    if (areDone !== undefined && areDone !== (readStored(key) !== null)) writeStored(key, areDone ? 'yes' : null)
  }, [key, areDone])
  return readStored(key) !== null
}

function Step({ name, isDone, isNeeded, path, count, isOnly }: FirstStep & { isOnly: boolean }) {
  const text = useText('overview')
  // If this is the only step, the user can't upload, so the default label's “it” would refer to nothing.
  const label = text(name === 'ask' && isOnly ? 'steps.askAnything' : `steps.${name}`, { has: count ?? 0 })
  return (
    <li className="min-w-0">
      <Link
        to={path}
        className="-mx-2 flex min-h-10 items-center gap-2.5 rounded-control px-2 py-1 text-14 shade-on-hover pointer-coarse:min-h-11"
      >
        {isDone ? (
          <CircleCheck aria-label={text('steps.done')} className="size-4.5 shrink-0 text-success-text" />
        ) : (
          <CircleDashed aria-label={text('steps.open')} className="size-4.5 shrink-0 text-muted" />
        )}
        <span className={isDone ? 'min-w-0 text-muted' : 'min-w-0 font-medium'}>
          {label}
          {!isNeeded && !isDone && <span className="font-normal text-muted"> ({text('steps.optional')})</span>}
        </span>
      </Link>
    </li>
  )
}
