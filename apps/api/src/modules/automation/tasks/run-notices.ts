import { type RunStatus, type Sentence, say, type TaskType } from '@mira/shared'
import type { Log } from '../../../log.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { NotificationsService } from '../notifications/notifications.service.ts'
import type { RunRow } from './runs.store.ts'
import type { TasksStore } from './tasks.store.ts'

/** News of runs. */
export interface RunNotices {
  onChange(run: { id: string; taskType: TaskType; status: RunStatus }): void
  onEnd(run: RunRow, result: { status: 'completed' | 'failed' | 'cancelled'; error: Sentence | null }): Promise<void>
}

const LINK = '/dashboard?tab=automation'
const FOUND_DAMAGE = say('run_found_damage', {}, 'It found something wrong: see its log.')

/** Events for administrators' open pages, and notifications: of failures to administrators, of the end to the requester. */
export function createRunNotices({
  tasksStore,
  events,
  notifications,
  log,
}: {
  tasksStore: TasksStore
  events: Events
  notifications: NotificationsService
  log: Log
}): RunNotices {
  return {
    onChange({ id, taskType, status }) {
      tasksStore
        .administrators()
        .then((ids) => {
          for (const userId of ids) events.publish(userId, { type: 'automation.run', id, task_type: taskType, status })
        })
        .catch((error: unknown) => log.warn({ err: error }, 'administrators could not be notified of a run'))
    },

    async onEnd(run, { status, error }) {
      const notice = { link: LINK, subjectId: run.id }
      const isDamage = status === 'completed' && run.results.success === false
      if (status === 'failed' || isDamage) {
        const { text: reason, told } = error ?? FOUND_DAMAGE
        for (const userId of await tasksStore.administrators()) {
          const params = { title: run.taskType, reason }
          await notifications.notify(userId, { kind: 'automation_failed', params, told, ...notice })
        }
      } else if (status === 'completed' && run.requestedBy !== null) {
        const params = { title: run.taskType }
        await notifications.notify(run.requestedBy, { kind: 'automation_done', params, ...notice }).catch(
          // The account may have been deleted meanwhile.
          (failure: unknown) => log.info({ err: failure }, 'the requester of a run could not be notified'),
        )
      }
    },
  }
}
