import type { MeJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { queryOptions } from '@tanstack/react-query'
import { fetchDashboardHealth, fetchOverview } from '../../api/insights.ts'
import { fetchMemoryLogs } from '../../api/memory-logs.ts'
import { fetchLocalModels } from '../../api/settings.ts'
import { fetchUsers } from '../../api/users.ts'
import { adminPath, paths } from '../../lib/paths.ts'

/** How many things there should be before a search is worth it. */
const FIRST_UPLOADS = 3

/** What there is, as far as the first steps ask for it. */
interface FirstFacts {
  conversations: number
  uploads: number
  searches: number
  /** What only administrators are told; null for everybody else. */
  instance: { hasModel: boolean; hasLocalModel: boolean; hasBackup: boolean; people: number } | null
}

export interface FirstStep {
  /** Its words are `steps.<name>`. */
  name: 'model' | 'localModels' | 'backup' | 'people' | 'upload' | 'search' | 'ask'
  isDone: boolean
  path: string
  /** How many there are of what is counted. */
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

async function countSearches(signal: AbortSignal): Promise<number> {
  const { total } = await fetchMemoryLogs(
    { query: '', type: 'memory_search', sentiment: 'all', content_type: 'all', range: 'all' },
    { limit: 1, cursor: null },
    signal,
  )
  return total
}

async function readInstance(signal: AbortSignal): Promise<FirstFacts['instance']> {
  const [health, local, users] = await Promise.all([
    fetchDashboardHealth(signal),
    fetchLocalModels(signal),
    fetchUsers({ query: '', cursor: null, limit: 2 }, signal),
  ])
  return {
    hasModel: health.ai_service === 'online',
    hasLocalModel: local.models.some(({ state }) => state === 'ready'),
    hasBackup: health.last_backup !== null,
    people: users.items.length,
  }
}

/** The steps that are this person's, in the order in which they help. */
export function firstStepsOf(user: MeJson, { conversations, uploads, searches, instance }: FirstFacts): FirstStep[] {
  const steps: FirstStep[] = []
  if (instance) {
    steps.push(
      { name: 'model', isDone: instance.hasModel, path: adminPath('settings') },
      { name: 'localModels', isDone: instance.hasLocalModel, path: adminPath('settings') },
      { name: 'backup', isDone: instance.hasBackup, path: adminPath('settings') },
      { name: 'people', isDone: instance.people > 1, path: adminPath('users') },
    )
  }
  if (can(user, 'upload')) {
    const has = Math.min(uploads, FIRST_UPLOADS)
    steps.push(
      { name: 'upload', isDone: has === FIRST_UPLOADS, path: paths.upload, has },
      { name: 'search', isDone: searches > 0, path: paths.memory },
    )
  }
  if (can(user, 'chat')) steps.push({ name: 'ask', isDone: conversations > 0, path: paths.chat })
  return steps
}
