import { readFileSync } from 'node:fs'
import { familyOf, readProc, statOf } from './killable.ts'

/** Ticks of the kernel's clock in a second. */
const TICKS = 100

/** Resident memory of a process in megabytes. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** Samples the resident memory each second, in megabytes; `stop` returns the samples. */
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

/** Resident memory, and processor time so far, of a process and all its descendants. */
export function measureFamily(pid: number): { megabytes: number; processorSeconds: number } {
  let [megabytes, ticks] = [0, 0]
  for (const id of familyOf([pid])) {
    megabytes += Number(/^VmRSS:\s+(\d+)/m.exec(readProc(id, 'status'))?.[1] ?? 0) / 1024
    // its own time, and that of its reaped children
    for (const field of statOf(id).slice(11, 15)) ticks += Number(field)
  }
  return { megabytes: Math.round(megabytes), processorSeconds: ticks / TICKS }
}
