import type { TaskList } from './process-protocol.ts'
import { createTaskProcess, type TaskProcess, type TaskProcessOptions } from './task-process.ts'

/** Processes that do tasks of one module, whichever is free; more are started only while all are at work. */
export type TaskPool<Tasks extends TaskList> = Pick<TaskProcess<Tasks>, 'run' | 'close'>

/** @param options.size how many at most. */
export function createTaskPool<Tasks extends TaskList>({
  size,
  ...options
}: TaskProcessOptions & { size: number }): TaskPool<Tasks> {
  const all = Array.from({ length: size }, () => ({ process: createTaskProcess<Tasks>(options), tasks: 0 }))
  return {
    async run(...given) {
      // the first of those with the least to do: the others may rest
      const chosen = all.reduce((one, other) => (other.tasks < one.tasks ? other : one))
      chosen.tasks++
      try {
        return await chosen.process.run(...given)
      } finally {
        chosen.tasks--
      }
    },
    close: async () => {
      await Promise.all(all.map(({ process }) => process.close()))
    },
  }
}
