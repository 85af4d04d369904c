import type { ActivityEntry, CodedSentence, DashboardHealth, Health, Overview } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Av } from '../../../parsers/video/av.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { asReason, say } from '../../../sentences.ts'
import type { AgentsService } from '../../chat/index.ts'
import type { MediaService } from '../../library/index.ts'
import type { HealthService } from '../system/health.service.ts'
import type { ActivityRow, InsightsStore, PeriodCounts, RequestOutcomes } from './insights.store.ts'

interface InsightsDeps {
  store: InsightsStore
  media: Pick<MediaService, 'count'>
  health: Pick<HealthService, 'checks'>
  agents: Pick<AgentsService, 'states'>
  av: Pick<Av, 'check'>
  queue: Pick<Queue, 'counts'>
  settings: Pick<SettingsReader, 'current'>
  now?: () => Date
}

type AgentState = Pick<Awaited<ReturnType<AgentsService['states']>>[number], 'name' | 'status'>

/** Length of the two weeks that are compared: this week and the one before. */
const COMPARISON_MS = 14 * 24 * 60 * 60 * 1000

/** Figures of the dashboard; null where nothing was measured. */
export function createInsightsService({
  store,
  media,
  health,
  agents,
  av,
  queue,
  settings,
  now = () => new Date(),
}: InsightsDeps) {
  /** Number of media jobs that recently failed permanently. */
  const countFailedMedia = async () => {
    const counts = await queue.counts()
    return counts['process-media'].failed + counts['process-long-media'].failed
  }

  return {
    /**
     * Figures of the dashboard's four cards. Efficiency is the percentage of the user's requests (chat, upload, search, agent,
     * effect) of the last 30 days that succeeded; requests that the user interrupted are left out.
     * @throws NotFoundError when the user was deleted meanwhile.
     */
    async overview(userId: string): Promise<Overview> {
      const moment = now()
      const figures = await store.overview(userId, moment)
      if (figures === null) throw new NotFoundError('This account no longer exists.')
      const mediaCounts = await media.count(userId)
      const isNewAccount = moment.getTime() - figures.accountCreatedAt.getTime() < COMPARISON_MS
      const recentEfficiency = percentCompleted(figures.requests.recent)
      const previousEfficiency = percentCompleted(figures.requests.previous)
      return {
        chat_sessions: figures.chatSessions.total,
        media_items: mediaCounts.total,
        agent_calls: figures.agentCalls.total,
        efficiency: percentCompleted(figures.requests.month),
        change: {
          chat_sessions: change(figures.chatSessions, isNewAccount),
          media_items: change(mediaCounts, isNewAccount),
          agent_calls: change(figures.agentCalls, isNewAccount),
          efficiency:
            recentEfficiency === null || previousEfficiency === null
              ? null
              : toTenths(recentEfficiency - previousEfficiency),
        },
      }
    },

    /** Latest activities of the user, newest first. */
    async activity(userId: string, limit: number): Promise<ActivityEntry[]> {
      return (await store.recentActivity(userId, limit)).map(presentActivity)
    },

    /** State of each part of the server, with the reason if it isn't online. Only administrators see problems of backups. */
    async health({ isAdmin = false } = {}): Promise<DashboardHealth> {
      const [
        { database, queue: jobs, models },
        lastBackup,
        failedBackup,
        lastTrialRestoreAt,
        warnings,
        failedCount,
        agentStates,
      ] = await Promise.all([
        health.checks(),
        // If the database is down, its check reports that.
        store.lastBackupAt().catch(() => null),
        isAdmin ? store.failedBackup().catch(() => null) : null,
        store.lastTrialRestoreAt().catch(() => null),
        isAdmin ? store.backupWarnings(settings.current().backups.offsite ?? '').catch(() => []) : [],
        countFailedMedia().catch(() => 0),
        agents.states().catch(() => null),
      ])
      const parts = {
        ai_service: aiService(models.chat),
        vector_store: database.state === 'ok' ? vectorStore(models.embedding) : asError(database),
        media_processing: mediaProcessing(
          jobs,
          [av.check(), models.caption, models.ocr, models.transcription],
          failedCount,
        ),
        agents: agentStates === null ? asError(database) : agentsHealth(agentStates),
      }
      const reasons = Object.entries(parts).flatMap(([name, { reason, told = [] }]) =>
        reason === undefined ? [] : [[name, forCaller({ text: reason, sentences: told })] as const],
      )
      return {
        ai_service: parts.ai_service.state,
        vector_store: parts.vector_store.state,
        media_processing: parts.media_processing.state,
        agents: parts.agents.state,
        reasons: Object.fromEntries(reasons.map(([name, { text }]) => [name, text])),
        told: Object.fromEntries(
          reasons.flatMap(([name, { sentences }]) => (sentences.length > 0 ? [[name, sentences]] : [])),
        ),
        checked_at: latestOf(models.chat.checked_at, models.embedding.checked_at),
        uptime: Math.floor(process.uptime()),
        last_backup: lastBackup,
        failed_backup: failedBackup,
        last_proven_restore: lastTrialRestoreAt,
        backup_warnings: failedBackup === null ? warnings : [failedBackup, ...warnings],
      }
    },
  }
}

export type InsightsService = ReturnType<typeof createInsightsService>

/** Latest of some ISO times; null when there are none. */
function latestOf(...times: (string | undefined)[]): string | null {
  return (
    times
      .filter((time) => time !== undefined)
      .sort()
      .at(-1) ?? null
  )
}

/** Percentage of completed requests, with one decimal; null when there were no requests. */
function percentCompleted({ completed, failed }: RequestOutcomes): number | null {
  return completed + failed === 0 ? null : toTenths((100 * completed) / (completed + failed))
}

function toTenths(figure: number): number {
  return Math.round(figure * 10) / 10
}

/** Difference between the last two weeks. Null for an account younger than that, unless the previous week has a count. */
function change({ recent, previous }: PeriodCounts, isNewAccount: boolean): number | null {
  return isNewAccount && previous === 0 ? null : recent - previous
}

function presentActivity(activity: ActivityRow): ActivityEntry {
  const { id, kind, outcome, detail, createdAt, session, mediaItem, subjectName } = activity
  return {
    id,
    type: kind,
    outcome,
    title: session?.name ?? mediaItem?.name ?? subjectName ?? textOf(detail.title ?? detail.query),
    action: textOf(detail.action),
    detail: textOf(detail.agent),
    created_at: createdAt,
    link: linkOf(activity),
  }
}

/** Path of an activity's subject in the web app; null when the subject is gone or has no page. */
function linkOf({ detail, session, mediaItem }: ActivityRow): string | null {
  if (detail.action === 'searched') return `/memory?q=${encodeURIComponent(textOf(detail.query))}`
  if (session !== null) return `/chat?session=${session.id}`
  return mediaItem === null ? null : `/gallery/${mediaItem.id}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

type Check = Health['checks']['database']

interface PartHealth {
  state: DashboardHealth['agents']
  reason?: string | undefined
  told?: CodedSentence[] | undefined
}

const online: PartHealth = { state: 'online' }
type Reason = Pick<Check, 'reason' | 'told'>
const asWarning = ({ reason, told }: Reason): PartHealth => ({ state: 'warning', reason, told })
const asError = ({ reason, told }: Reason): PartHealth => ({ state: 'error', reason, told })

const BUILT_IN_ANSWERS = asReason(say('built_in_answers', {}))

/** State of the chat. Built-in answers count as a warning, since users expect an assistant to use a language model. */
function aiService(check: Check): PartHealth {
  if (check.state === 'error') return asError(check)
  if (check.state === 'off') return asWarning(check)
  return check.engine === 'built-in' ? asWarning(BUILT_IN_ANSWERS) : online
}

/** State of the vectors: the database stores them, but only an embedding model creates them. */
function vectorStore(check: Check): PartHealth {
  return check.state === 'ok' ? online : asWarning(check)
}

/** State of the agents by their last calls; an agent without calls counts as online. */
function agentsHealth(agents: AgentState[]): PartHealth {
  if (agents.length === 0) return asWarning(asReason(say('no_agents', {})))
  const failingAgents = agents.filter(({ status }) => status !== 'active')
  if (failingAgents.length === 0) return online
  const names = failingAgents.map(({ name }) => name).join(', ')
  const reason = asReason(say('agents_failing', { names }))
  return agents.every(({ status }) => status === 'error') ? asError(reason) : asWarning(reason)
}

/** State of media processing. Without models, files get no captions or transcripts; without video tools, videos are refused. */
function mediaProcessing(queue: Check, [video, ...engines]: [Check, ...Check[]], failedCount: number): PartHealth {
  if (queue.state !== 'ok') return asError(queue)
  const broken = engines.find(({ state }) => state === 'error')
  if (broken !== undefined) return asWarning(broken)
  if (video.state !== 'ok') return asWarning(video)
  if (failedCount > 0) {
    return asWarning(asReason(say('files_given_up', { count: failedCount })))
  }
  return engines.some(({ state }) => state === 'ok') ? online : asWarning(engines[0] ?? {})
}
