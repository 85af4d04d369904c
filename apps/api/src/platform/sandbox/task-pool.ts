import type { TaskList } from './process-protocol.ts'
import { createTaskProcess, createTaskSemaphore, type TaskProcess, type TaskProcessOptions } from './task-process.ts'

/** Processes that do tasks of one module, whichever is free; more are started only while all are at work. */
export type TaskPool<Tasks extends TaskList> = Pick<TaskProcess<Tasks>, 'run' | 'close'>

/** @param options.size maximum number of processes. */
export function createTaskPool<Tasks extends TaskList>({
  size,
  ...options
}: TaskProcessOptions & { size: number }): TaskPool<Tasks> {
  const all = Array.from({ length: size }, () => ({ process: createTaskProcess<Tasks>(options), tasks: 0 }))
  const { name, maxWaitingPerUser } = options
  const acquire = createTaskSemaphore(name, { permits: size, maxWaitingPerUser })
  return {
    async run(task, input, runOptions) {
      const { signal, isUrgent } = runOptions
      using _permit = await acquire({ signal, urgency: isUrgent ? 'urgent' : 'normal' })
      const minTasks = Math.min(...all.map(({ tasks }) => tasks))
      const free = all.filter(({ tasks }) => tasks === minTasks)
      // one that worked for this user need not be started anew; else the first, so that the others may rest
      const worker = free.find(({ process }) => process.servesCurrentUser()) ?? (free[0] as (typeof all)[number])
      worker.tasks++
      try {
        return await worker.process.run(task, input, runOptions)
      } finally {
        worker.tasks--
      }
    },
    close: async () => {
      await Promise.all(all.map(({ process }) => process.close()))
    },
  }
}
