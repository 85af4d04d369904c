import { asLanguage } from '@mira/shared'
import { type Text, textsIn } from '../../../platform/messages/texts.ts'
import type { KeptFigures } from './summaries.store.ts'

const languageOf = (language: string) => asLanguage(language) ?? 'en'

const requestsOf = ({ messages, uploads, searches, agent_calls, effects }: Omit<KeptFigures, 'previous'>): number =>
  messages + uploads + searches + agent_calls + effects

/** A summary by template. */
export function ruleText(figures: KeptFigures, isOwn: boolean, language: string): string {
  const text = textsIn('summaries', languageOf(language))
  const list = [
    [figures.messages, 'messages'] as const,
    [figures.sessions, 'sessions'] as const,
    [figures.uploads, 'uploads'] as const,
    [figures.searches, 'searches'] as const,
    [figures.agent_calls, 'agentCalls'] as const,
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

function comparison(figures: KeptFigures, text: Text<'summaries'>): string {
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
export function keyInsights(figures: KeptFigures, language: string): string[] {
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
