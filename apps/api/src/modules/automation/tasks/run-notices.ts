import {
  type CodedSentence,
  type NotificationKind,
  type RunStatus,
  type Sentence,
  say,
  type TaskType,
} from '@mira/shared'
import type { Log } from '../../../log.ts'
import type { RunRow } from './runs.store.ts'

export interface RunNoticesDeps {
  administrators(): Promise<string[]>
  publish(userId: string, event: { type: 'automation.run'; id: string; task_type: TaskType; status: RunStatus }): void
  notify(
    userId: string,
    notice: {
      kind: NotificationKind
      params: Record<string, string>
      told?: CodedSentence[]
      link: string
      subjectId: string
    },
  ): Promise<void>
  log: Log
}

const LINK = '/dashboard?tab=automation'
const FOUND_DAMAGE = say('run_found_damage', {}, 'It found something wrong: see its log.')

/** Builds what tells people how runs go: open pages at once, administrators of failures, and whoever asked for a run. */
export function createRunNotices({ administrators, publish, notify, log }: RunNoticesDeps) {
  return {
    /** Something of a run changed. */
    onChange({ id, taskType, status }: Pick<RunRow, 'id' | 'taskType' | 'status'>): void {
      administrators()
        .then((ids) => {
          for (const userId of ids) publish(userId, { type: 'automation.run', id, task_type: taskType, status })
        })
        .catch((error: unknown) => log.warn({ err: error }, 'administrators could not be told of a run'))
    },

    async onEnd(
      run: RunRow,
      { status, error }: { status: 'completed' | 'failed' | 'cancelled'; error: Sentence | null },
    ): Promise<void> {
      const notice = { link: LINK, subjectId: run.id }
      const isDamage = status === 'completed' && run.results.success === false
      if (status === 'failed' || isDamage) {
        const { text: reason, told } = error ?? FOUND_DAMAGE
        for (const userId of await administrators()) {
          await notify(userId, { kind: 'automation_failed', params: { title: run.taskType, reason }, told, ...notice })
        }
      } else if (status === 'completed' && run.requestedBy !== null) {
        await notify(run.requestedBy, { kind: 'automation_done', params: { title: run.taskType }, ...notice }).catch(
          // the account may have gone meanwhile
          (failure: unknown) => log.info({ err: failure }, 'whoever asked for a run could not be told'),
        )
      }
    },
  }
}
