import type { TaskList } from './process-protocol.ts'
import { createTaskProcess, createTaskSemaphore, type TaskProcess, type TaskProcessOptions } from './task-process.ts'

/** Processes that do tasks of one module; another is started only while all are at work, or have worked for other users. */
export type TaskPool<Tasks extends TaskList> = Pick<TaskProcess<Tasks>, 'run' | 'close'>

/** Processes kept for other users while as many as may work do: two users who take turns would start one for every file. */
const KEPT_FOR_OTHERS = 1

/** @param options.size maximum number of processes at work. */
export function createTaskPool<Tasks extends TaskList>({
  size,
  ...options
}: TaskProcessOptions & { size: number }): TaskPool<Tasks> {
  const processes = Array.from({ length: size + KEPT_FOR_OTHERS }, () => createTaskProcess<Tasks>(options))
  /** Processes not at work, the one unused for longest first. */
  const free = [...processes]
  const acquire = createTaskSemaphore(options, size)
  const indexForUser = () => {
    const own = free.findIndex((process) => process.pid() !== null && process.servesCurrentUser())
    return own === -1 ? free.findIndex((process) => process.pid() === null) : own
  }
  return {
    async run(task, input, runOptions) {
      const { signal, isUrgent } = runOptions
      using _permit = await acquire({ signal, urgency: isUrgent ? 'urgent' : 'normal' })
      const [process] = free.splice(Math.max(0, indexForUser()), 1) as [TaskProcess<Tasks>]
      try {
        return await process.run(task, input, runOptions)
      } finally {
        free.push(process)
      }
    },
    close: async () => {
      await Promise.all(processes.map((process) => process.close()))
    },
  }
}
