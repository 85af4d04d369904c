import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Lowers the priority of all threads, and of the threads that they start. */
export function lowerPriority(niceness: number): void {
  // The server itself may have been started with a lower priority, which can't be raised.
  if (getPriority() >= niceness) return
  if (process.platform !== 'linux') {
    setPriority(niceness)
    return
  }
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness)
}
