import type { TaskList } from './process-protocol.ts'
import { createTaskProcess, createTaskSemaphore, type TaskProcess, type TaskProcessOptions } from './task-process.ts'

/** Processes for tasks of one module. Another process is started only while all others are busy or have served other users. */
export type TaskPool<Tasks extends TaskList> = Pick<TaskProcess<Tasks>, 'run' | 'close'>

/** Additional idle processes kept for other users; otherwise two alternating users would start a process for every file. */
const SPARE_PROCESSES = 1

/** @param options.size maximum number of busy processes. */
export function createTaskPool<Tasks extends TaskList>({
  size,
  ...options
}: TaskProcessOptions & { size: number }): TaskPool<Tasks> {
  const processes = Array.from({ length: size + SPARE_PROCESSES }, () => createTaskProcess<Tasks>(options))
  /** Idle processes, least recently used first. */
  const idle = [...processes]
  const acquire = createTaskSemaphore(options, size)
  const indexForUser = () => {
    const own = idle.findIndex((process) => process.pid() !== null && process.servesCurrentUser())
    return own === -1 ? idle.findIndex((process) => process.pid() === null) : own
  }
  return {
    async run(task, input, runOptions) {
      const { signal, isUrgent } = runOptions
      using _permit = await acquire({ signal, urgency: isUrgent ? 'urgent' : 'normal' })
      const [process] = idle.splice(Math.max(0, indexForUser()), 1) as [TaskProcess<Tasks>]
      try {
        return await process.run(task, input, runOptions)
      } finally {
        idle.push(process)
      }
    },
    close: async () => {
      await Promise.all(processes.map((process) => process.close()))
    },
  }
}
