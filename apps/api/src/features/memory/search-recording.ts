import { setTimeout as sleep } from 'node:timers/promises'
import type { ActivityRecord } from '../../db/activity.ts'
import type { Log } from '../../log.ts'

/** A search that is told apart from others by its id. */
export type RecordedSearch = ActivityRecord & { id: string }

export interface SearchRecordingDeps {
  record(activity: RecordedSearch): Promise<void>
  /** Whether an error means that the database is away for a while. */
  isUnavailable(error: unknown): boolean
  log: Log
  /** When what could not be recorded is tried again. */
  retryMs?: number
}

export type SearchRecording = ReturnType<typeof createSearchRecording>

const RETRY_MS = 1000

/**
 * Records searches while their answers are on the way: whoever searches does not wait for the disk. A database that is away is
 * asked again until the server closes; a search needs it, too, so there are never many that wait.
 */
export function createSearchRecording({ record, isUnavailable, log, retryMs = RETRY_MS }: SearchRecordingDeps) {
  const pending = new Map<string, Promise<void>>()
  const closing = new AbortController()

  const keep = async (activity: RecordedSearch): Promise<boolean> => {
    for (;;) {
      const isLast = closing.signal.aborted
      try {
        await record(activity)
        return true
      } catch (error) {
        if (isLast || !isUnavailable(error)) {
          log.error({ err: error }, 'a search could not be recorded')
          return false
        }
        await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  return {
    /** Begins to record a search; `done` is called once it is. */
    begin(activity: RecordedSearch, done: () => void): void {
      const recording = keep(activity).then((isKept) => {
        pending.delete(activity.id)
        if (isKept) done()
      })
      pending.set(activity.id, recording)
    },

    /** Waits for a search that is being recorded. */
    recorded: (searchId: string): Promise<void> => pending.get(searchId) ?? Promise.resolve(),

    /** Waits for all of them, which are tried once more where the database was away. */
    async settle(): Promise<void> {
      closing.abort()
      await Promise.all(pending.values())
    },
  }
}
