import { asLanguage, languageNames, type WeeklySummary } from '@mira/shared'
import type { Log } from '../../../log.ts'
import { type Text, textsIn } from '../../../platform/messages/texts.ts'
import type { StoredFigures, SummaryRow, WeekSummariesStore } from './summaries.store.ts'

interface WrittenText {
  text: string
  engine: string
  model: string | null
}

/** Writes one text; null when no model is connected. */
type WriteText = (
  request: { instructions: string; text: string; language: string },
  signal: AbortSignal,
) => Promise<WrittenText | null>

const TIMEOUT_MS = 30_000
const MAX_CHARACTERS = 1500

/** Summary written by a model; null when no model is connected, it fails, or it states a number that isn't among the figures. */
export async function writeSummary(
  { writeText, log }: { writeText: WriteText; log: Pick<Log, 'warn'> },
  figures: Record<string, unknown>,
  language: string,
  signal: AbortSignal,
): Promise<WrittenText | null> {
  try {
    const draft = await writeText(
      {
        instructions: [
          `Write a summary of a week in ${languageNames[asLanguage(language) ?? 'en'].english}, three sentences at most, plain text.`,
          'Use only the figures below, exactly as they are, and compare them with `previous`, the week before.',
          figures.until === undefined
            ? 'The week is over.'
            : 'The week is not over: say that it is the week so far; `previous` is the same days of the week before.',
          figures.whose === 'one person' ? 'Speak to that person.' : 'It is about all people who use this assistant.',
        ].join(' '),
        text: JSON.stringify(figures),
        language,
      },
      AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    )
    const text = draft?.text.replaceAll('\0', '').trim().toWellFormed() ?? ''
    if (draft === null || text === '' || text.length > MAX_CHARACTERS) return null
    if (!hasOnlyNumbersOf(text, figures)) return null
    return { ...draft, text }
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'the model wrote no weekly summary, so a template is used')
    return null
  }
}

/** True when every number in a text is one of the figures. */
function hasOnlyNumbersOf(text: string, figures: Record<string, unknown>): boolean {
  const numbers = new Set(JSON.stringify(figures).match(/\d+/g)?.map(Number))
  const stated = text.replaceAll(/(?<=\d)[.,’\u00a0\u202f](?=\d{3}\b)/g, '').match(/\d+/g) ?? []
  return !/[{}]/.test(text) && stated.every((number) => numbers.has(Number(number)))
}

const languageOf = (language: string) => asLanguage(language) ?? 'en'

const requestsOf = ({ messages, uploads, searches, agent_calls, effects }: Omit<StoredFigures, 'previous'>): number =>
  messages + uploads + searches + agent_calls + effects

/** A summary made from a template. */
export function templateText(figures: StoredFigures, isOwn: boolean, language: string): string {
  const text = textsIn('summaries', languageOf(language))
  const list = [
    [figures.messages, 'messages'] as const,
    [figures.sessions, 'sessions'] as const,
    [figures.uploads, 'uploads'] as const,
    [figures.searches, 'searches'] as const,
    [figures.agent_calls, 'agentCalls'] as const,
    [figures.effects, 'effects'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, key]) => text(key, { count }))
  const isSoFar = figures.until !== undefined
  if (list.length === 0) return text(isSoFar ? 'nothingSoFar' : 'nothing')
  const listed = new Intl.ListFormat(languageOf(language), { type: 'conjunction' }).format(list)
  const userCount = text('people', { count: figures.active_users })
  const sentence = isOwn
    ? text(isSoFar ? 'ownSoFar' : 'own', { list: listed })
    : text(isSoFar ? 'instanceSoFar' : 'instance', { list: listed, people: userCount })
  return `${sentence} ${comparison(figures, text)}`
}

function comparison(figures: StoredFigures, text: Text<'summaries'>): string {
  const now = requestsOf(figures)
  const before = requestsOf({ ...figures, ...figures.previous })
  const isSoFar = figures.until !== undefined
  if (before === 0) return text(isSoFar ? 'firstSoFar' : 'first')
  const percent = Math.round((Math.abs(now - before) / before) * 100)
  if (percent === 0) return text(isSoFar ? 'sameSoFar' : 'same')
  return now > before
    ? text(isSoFar ? 'moreSoFar' : 'more', { percent })
    : text(isSoFar ? 'lessSoFar' : 'less', { percent })
}

/** Highlights, one sentence each. */
export function keyInsights(figures: StoredFigures, language: string): string[] {
  const locale = languageOf(language)
  const text = textsIn('summaries', locale)
  const ended = figures.completed + figures.failed
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
  const { busiest_day: busiest, top_agent: agent, searches, opened } = figures
  return [
    ...(busiest === null ? [] : [text('busiest', { day: day.format(new Date(busiest)) })]),
    ...(agent === null ? [] : [text('agent', { name: agent })]),
    ...(ended === 0 ? [] : [text('success', { percent: percent.format(figures.completed / ended) })]),
    ...(searches === 0 ? [] : [text('opened', { opened, searches })]),
  ]
}

export type SummariesService = ReturnType<typeof createSummariesService>

/** Engine name of summaries made from a template, which are worded in the reader's language. */
export const BY_TEMPLATE = 'built-in'

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
    /** Summaries of a user, or of the instance when `userId` is null. */
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
      const link = kind === 'asked' ? `/chat?session=${id}` : `/gallery/${id}`
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
    summary_text: row.engine === BY_TEMPLATE ? templateText(figures, isOwn, language) : row.summaryText,
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

function countOf(figures: StoredFigures | StoredFigures['previous'], name: string): number {
  const value: unknown = Object.entries(figures).find(([key]) => key === name)?.[1]
  return typeof value === 'number' ? value : 0
}
