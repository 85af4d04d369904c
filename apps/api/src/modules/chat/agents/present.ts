import {
  type AgentAnalytics,
  type AgentCandidate,
  type AgentRun,
  agentDataSchema,
  type FilesData,
  type Language,
} from '@mira/shared'
import { textsIn } from '../../../platform/messages/texts.ts'
import type { AgentFigures, AgentRunRow } from './agents.store.ts'

const STATUS_ACTIVE_SHARE = 0.8
const STATUS_WARNING_SHARE = 0.5

/** Call figures of one agent; without calls there are none. */
export function presentFigures(
  name: string,
  figures: AgentFigures | undefined,
  isAway: boolean,
): AgentAnalytics['agents'][number] {
  return {
    name,
    calls: figures?.total ?? 0,
    success_rate: figures ? successRate(figures) : null,
    avg_response_time: figures?.averageMs == null ? null : Math.round(figures.averageMs),
    status: isAway ? 'error' : statusOf(figures),
    last_used: figures?.lastUsed ?? null,
  }
}

/** Percent of calls that ended well, without those that were stopped; null when there were none. */
export function successRate({ completed, failed }: Pick<AgentFigures, 'completed' | 'failed'>): number | null {
  return completed + failed === 0 ? null : Math.round((1000 * completed) / (completed + failed)) / 10
}

/** Call figures of all agents together. */
export function totalsOf(figures: AgentFigures[]): AgentAnalytics['totals'] {
  const sum = (count: (figure: AgentFigures) => number) => figures.reduce((total, figure) => total + count(figure), 0)
  const [completed, failed] = [sum((one) => one.completed), sum((one) => one.failed)]
  const averageMs = sum((one) => (one.averageMs ?? 0) * one.completed) / completed
  return {
    calls: sum((one) => one.total),
    success_rate: successRate({ completed, failed }),
    avg_response_time: completed === 0 ? null : Math.round(averageMs),
  }
}

/** From the last calls that ended; active where there were none. */
export function statusOf(
  figures: Pick<AgentFigures, 'recentCompleted' | 'recentEnded'> | undefined,
): 'active' | 'warning' | 'error' {
  if (!figures || figures.recentEnded === 0) return 'active'
  const share = figures.recentCompleted / figures.recentEnded
  return share >= STATUS_ACTIVE_SHARE ? 'active' : share >= STATUS_WARNING_SHARE ? 'warning' : 'error'
}

/** Files that were found, with thumbnails signed for whoever looks at them. */
export function presentFiles(data: FilesData, sign: (path: string) => string): FilesData {
  return {
    ...data,
    items: data.items.map((item) => ({ ...item, thumbnail: item.thumbnail === null ? null : sign(item.thumbnail) })),
  }
}

/** A call of a history; what an earlier version of an agent found may have had another shape: then its text tells it. */
export function presentRun({
  id,
  agentName,
  input,
  output,
  data,
  outcome,
  durationMs,
  createdAt,
  origin,
}: AgentRunRow): AgentRun {
  const read = agentDataSchema.safeParse(data)
  return {
    id,
    agent: agentName,
    input,
    output,
    outcome,
    origin,
    data: read.success ? read.data : null,
    duration_ms: durationMs,
    created_at: createdAt,
  }
}

/** Says that no agent was surely meant, and which could be. */
export function unsureText(candidates: AgentCandidate[], language: Language): string {
  const text = textsIn('agents', language)
  if (candidates.length === 0) return text('none')
  const lines = candidates.map(({ name, example }) => `- **${name}**: “${example}”`)
  return `${text('unsure')}\n\n${lines.join('\n')}`
}
