import type { MeJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { queryOptions } from '@tanstack/react-query'
import { fetchDashboardHealth, fetchOverview } from '../../api/insights.ts'
import { fetchMemoryLogs } from '../../api/memory-logs.ts'
import { fetchLocalModels } from '../../api/settings.ts'
import { fetchUsers } from '../../api/users.ts'
import { adminSettingsPath } from '../../lib/admin-settings-path.ts'
import { adminPath, paths } from '../../lib/paths.ts'

/** Number of uploads that make a search worthwhile. */
const FIRST_UPLOADS = 3

const LATEST_SEARCHES = 25

interface InstanceFacts {
  /** One is connected; whether it answers right now is told elsewhere. */
  hasModel: boolean
  hasLocalModel: boolean
  /** The operator lets models run here. */
  mayRunModels: boolean
  hasBackup: boolean
  people: number
}

/** Counts for the first steps. */
interface FirstFacts {
  conversations: number
  uploads: number
  /** Searches with results. */
  searches: number
  /** Facts about the instance; null unless the user is an administrator. */
  instance: InstanceFacts | null
}

export interface FirstStep {
  /** Its words are `steps.<name>`. */
  name: 'model' | 'localModels' | 'backup' | 'people' | 'upload' | 'search' | 'ask'
  isDone: boolean
  /** False for what does without: it is offered, and holds nobody up. */
  isNeeded: boolean
  path: string
  /** Current count, for steps that count something. */
  has?: number
}

/** Asks for what the steps of this person are ticked by; again whenever the overview is fetched again. */
export function firstStepsQuery(user: MeJson) {
  return queryOptions({
    queryKey: ['overview', 'figures', 'first-steps', user.id],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<FirstFacts> => {
      const [figures, searches, instance] = await Promise.all([
        fetchOverview(signal),
        can(user, 'upload') ? countSearches(signal) : 0,
        can(user, 'admin') ? readInstance(signal) : null,
      ])
      return { conversations: figures.chat_sessions, uploads: figures.media_items, searches, instance }
    },
  })
}

/** Counts of a new user. */
export function nothingYet(user: MeJson): FirstFacts {
  const instance = { hasModel: false, hasLocalModel: false, mayRunModels: true, hasBackup: false, people: 1 }
  return { conversations: 0, uploads: 0, searches: 0, instance: can(user, 'admin') ? instance : null }
}

/** Count of the latest searches with results. */
async function countSearches(signal: AbortSignal): Promise<number> {
  const { entries } = await fetchMemoryLogs(
    { query: '', type: 'memory_search', sentiment: 'all', content_type: 'all', range: 'all' },
    { limit: LATEST_SEARCHES, cursor: null },
    signal,
  )
  return entries.filter(({ results_count }) => (results_count ?? 0) > 0).length
}

async function readInstance(signal: AbortSignal): Promise<InstanceFacts> {
  const [health, local, users] = await Promise.all([
    fetchDashboardHealth(signal),
    fetchLocalModels(signal),
    fetchUsers({ query: '', cursor: null, limit: 2 }, signal),
  ])
  return {
    hasModel: health.ai_service !== 'warning',
    hasLocalModel: local.models.some(({ state }) => state === 'ready'),
    mayRunModels: local.is_enabled,
    hasBackup: health.last_backup !== null,
    people: users.items.length,
  }
}

/** The steps that are this person's, in the order in which they help. */
export function firstStepsOf(user: MeJson, { conversations, uploads, searches, instance }: FirstFacts): FirstStep[] {
  const steps: FirstStep[] = []
  if (instance) {
    steps.push(
      needed('model', instance.hasModel, adminPath('settings')),
      {
        ...needed('localModels', instance.hasLocalModel, adminSettingsPath('models')),
        isNeeded: instance.mayRunModels && !instance.hasModel,
      },
      needed('backup', instance.hasBackup, adminSettingsPath('backups')),
      needed('people', instance.people > 1, adminPath('users')),
    )
  }
  if (can(user, 'upload')) {
    const has = Math.min(uploads, FIRST_UPLOADS)
    steps.push(
      { ...needed('upload', has === FIRST_UPLOADS, paths.upload), has },
      // nothing can be found again before anything is there
      needed('search', searches > 0 && uploads > 0, paths.memory),
    )
  }
  if (can(user, 'chat'))
    steps.push(needed('ask', conversations > 0 && (uploads > 0 || !can(user, 'upload')), paths.chat))
  return steps
}

const needed = (name: FirstStep['name'], isDone: boolean, path: string): FirstStep => ({
  name,
  isDone,
  isNeeded: true,
  path,
})
