/**
 * Reason for a missing result: the task itself `failed`; it took too long (`timeout`); its process grew too large
 * (`memory`) or died (`crashed`), never started (`unstartable`), has too many tasks (`busy`) or was `closed`.
 */
export type TaskFailure = 'failed' | 'timeout' | 'memory' | 'crashed' | 'unstartable' | 'busy' | 'closed'

/** A task in a process of its own did not come to its end. */
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
