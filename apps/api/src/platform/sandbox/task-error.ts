/**
 * Reason for a missing result: the task `failed` or took too long (`timeout`); its process exceeded its memory limit
 * (`memory`), died (`crashed`), never started (`unstartable`), has too many tasks (`busy`) or was `closed`.
 */
export type TaskFailure = 'failed' | 'timeout' | 'memory' | 'crashed' | 'unstartable' | 'busy' | 'closed'

/** Failure of a task that runs in a separate process. */
export class TaskError extends Error {
  override name = 'TaskError'
  readonly reason: TaskFailure
  /** The `code` of the error that the task threw, if it had one. */
  readonly code: string | undefined

  constructor(reason: TaskFailure, message: string, code?: string) {
    super(message)
    this.reason = reason
    this.code = code
  }
}
