// Kills its process when the parent is gone or it uses too much memory; in a separate thread, because the main thread may be
// blocked forever.
import { workerData } from 'node:worker_threads'
import { MEMORY_SIGNAL } from './process-protocol.ts'

export interface GuardTask {
  parentPid: number
  memoryLimitMb: number
}

const CHECK_EVERY_MS = 200

const { parentPid, memoryLimitMb } = workerData as GuardTask
setInterval(() => {
  // the parent has died, perhaps by SIGKILL
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
  if (process.memoryUsage.rss() > memoryLimitMb * 1024 * 1024) process.kill(process.pid, MEMORY_SIGNAL)
}, CHECK_EVERY_MS)
