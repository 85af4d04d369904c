import type { AutomationRun, AutomationRunDetail, CodedSentence } from '@mira/shared'
import type { TaskResults } from './task.ts'
import type { RunRow } from './tasks.store.ts'

/** Key of the result that lists the ids of the training set's answers; it isn't sent to clients. */
export const DATASET_KEY = 'dataset_ids'

const isEnded = ({ status }: RunRow) => status !== 'pending' && status !== 'running'

/** Duration in seconds; null until the run has ended. */
export function secondsOf({ startedAt, finishedAt }: RunRow): number | null {
  return startedAt === null || finishedAt === null ? null : (finishedAt.getTime() - startedAt.getTime()) / 1000
}

/** Coded reason for a failed run: the last line of its log. */
export function errorSentencesOf({ errorMessage, log }: RunRow): CodedSentence[] {
  const last = log.at(-1)
  return errorMessage !== null && last?.text === errorMessage ? (last.told ?? []) : []
}

export function presentRun(row: RunRow): AutomationRun {
  return {
    id: row.id,
    task_type: row.taskType,
    trigger: row.trigger,
    scheduled_for: row.scheduledFor,
    reason: row.reason,
    status: row.status,
    created_at: row.createdAt,
    started_at: row.startedAt,
    finished_at: row.finishedAt,
    duration_seconds: secondsOf(row),
    error_message: row.errorMessage,
    error_told: errorSentencesOf(row),
    results: isEnded(row)
      ? {
          ...publicResults(row.results),
          items_processed: row.itemsProcessed,
          success: row.status === 'completed' && row.results.success !== false,
        }
      : null,
    progress: row.status === 'running' ? progressOf(row) : null,
  }
}

export function presentRunDetail(row: RunRow): AutomationRunDetail {
  return {
    ...presentRun(row),
    steps: row.steps.map((step) => ({
      ...step,
      error_told: step.error_told ?? [],
      started_at: new Date(step.started_at),
      finished_at: step.finished_at === null ? null : new Date(step.finished_at),
    })),
    log: row.log.map((line) => ({ ...line, told: line.told ?? [], at: new Date(line.at) })),
    attempts: row.attempts,
    has_dataset: typeof row.results[DATASET_KEY] === 'string' && row.results[DATASET_KEY] !== '',
  }
}

function publicResults({ [DATASET_KEY]: _ids, ...results }: TaskResults): TaskResults {
  return results
}

/** Progress of the current step, 0 to 1; null when unknown. */
function progressOf({ steps }: RunRow): number | null {
  const step = steps.find(({ status }) => status === 'running')
  return step?.total ? Math.min(1, step.items / step.total) : null
}
