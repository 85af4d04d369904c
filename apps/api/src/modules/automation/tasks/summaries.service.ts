import type { WeeklySummary } from '@mira/shared'
import type { KeptFigures, SummaryRow, WeekSummariesStore } from './summaries.store.ts'
import { keyInsights, ruleText } from './summary-text.ts'

export type SummariesService = ReturnType<typeof createSummariesService>

/** Engine of a text that follows a template, in its reader's language. */
export const BY_RULE = 'built-in'

/** Pages of the web app for each figure. */
const links: Record<string, { own: string; instance: string }> = {
  messages: { own: '/dashboard?tab=chat-logs', instance: '/dashboard?tab=analytics' },
  sessions: { own: '/dashboard?tab=chat-logs', instance: '/dashboard?tab=analytics' },
  uploads: { own: '/gallery', instance: '/dashboard?tab=analytics' },
  searches: { own: '/dashboard?tab=memory-logs', instance: '/dashboard?tab=analytics' },
  agent_calls: { own: '/dashboard?tab=agents-logs', instance: '/dashboard?tab=analytics' },
  effects: { own: '/effects', instance: '/dashboard?tab=analytics' },
}

export function createSummariesService({ store }: { store: WeekSummariesStore }) {
  return {
    /** Summaries of a user, or of the instance for null. */
    async list(userId: string | null, limit: number, language: string): Promise<WeeklySummary[]> {
      const rows = await store.list(userId, limit)
      const ids = rows.flatMap(({ figures }) => [...figures.asked_ids, ...figures.added_ids, ...figures.found_ids])
      const titles = userId === null ? new Map<string, string>() : await store.titles(userId, ids)
      return rows.map((row) => present(row, userId !== null, language, titles))
    },
  }
}

function present(row: SummaryRow, isOwn: boolean, language: string, titles: Map<string, string>): WeeklySummary {
  const { figures } = row
  const ended = figures.completed + figures.failed
  const highlights = (kind: 'asked' | 'added' | 'found', ids: string[]) =>
    ids.flatMap((id) => {
      const title = titles.get(id)
      const link = kind === 'asked' ? `/chat?session=${id}` : `/gallery?item=${id}`
      return title === undefined ? [] : [{ kind, title, link }]
    })
  return {
    id: row.id,
    week_start: row.weekStart,
    generated_at: row.generatedAt,
    total_users_active: figures.active_users,
    total_messages: figures.messages,
    total_sessions: figures.sessions,
    is_so_far: figures.until !== undefined,
    success_rate: ended === 0 ? null : figures.completed / ended,
    summary_text: row.engine === BY_RULE ? ruleText(figures, isOwn, language) : row.summaryText,
    insights: { key_insights: keyInsights(figures, language) },
    figures: Object.entries(links).map(([name, link]) => ({
      name,
      value: countOf(figures, name),
      previous: countOf(figures.previous, name),
      link: isOwn ? link.own : link.instance,
    })),
    highlights: [
      ...highlights('asked', figures.asked_ids),
      ...highlights('added', figures.added_ids),
      ...highlights('found', figures.found_ids),
    ],
    engine: row.engine,
  }
}

function countOf(figures: KeptFigures | KeptFigures['previous'], name: string): number {
  const value: unknown = Object.entries(figures).find(([key]) => key === name)?.[1]
  return typeof value === 'number' ? value : 0
}
