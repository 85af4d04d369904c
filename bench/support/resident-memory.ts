import { readFileSync } from 'node:fs'

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
