import { readFileSync } from 'node:fs'
import { familyOf, readProc, statOf } from './killable.ts'

/** Ticks of the kernel's clock in a second. */
const TICKS = 100

/** Resident memory of a process in megabytes. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** Looks at it each second from now on; all that was seen when it is stopped, in megabytes. */
export function sampleMemory(pid: number): { stop(): number[] } {
  const samples: number[] = []
  const sampling = setInterval(() => samples.push(residentMegabytes(pid)), 1000)
  return {
    stop() {
      clearInterval(sampling)
      return samples
    },
  }
}

/** A process with all that it has started: the sums of their resident memory, and of their processor time so far. */
export function measureFamily(pid: number): { megabytes: number; processorSeconds: number } {
  let [megabytes, ticks] = [0, 0]
  for (const id of familyOf([pid])) {
    megabytes += Number(/^VmRSS:\s+(\d+)/m.exec(readProc(id, 'status'))?.[1] ?? 0) / 1024
    // its own, and that of the children whose end it has seen
    for (const field of statOf(id).slice(11, 15)) ticks += Number(field)
  }
  return { megabytes: Math.round(megabytes), processorSeconds: ticks / TICKS }
}
