import { familyOf, readProc, statOf } from './killable.ts'

/** Clock ticks of /proc per second. */
const TICKS = 100
const LOOK_EVERY_MS = 250

/** Totals of processes and their descendants. */
export interface ProcessTotals {
  processorSeconds: number
  /** Read and written, by files and connections. */
  bytes: number
  /** Memory now, shared pages divided among their users. */
  megabytes: number
}

/** Adds up what processes of this machine and all their descendants use from now on, also of those that end. */
export function watchProcesses(pids: number[]): { totals(): ProcessTotals; stop(): void } {
  const seen = new Map<string, { ticks: number; bytes: number }>()
  const sum = (texts: (string | undefined)[]) => texts.reduce((total, text) => total + Number(text ?? 0), 0)
  const look = () => {
    const family = familyOf(pids)
    for (const pid of family) {
      const stat = statOf(pid)
      if (stat.length < 20) continue
      const io = readProc(pid, 'io')
      const bytes = sum([/^rchar: (\d+)/m.exec(io)?.[1], /^wchar: (\d+)/m.exec(io)?.[1]])
      // process ids are reused: the start time tells two processes apart
      seen.set(`${pid} ${stat[19]}`, { ticks: sum(stat.slice(11, 13)), bytes })
    }
    return family
  }
  look()
  const timer = setInterval(look, LOOK_EVERY_MS)
  return {
    totals() {
      const family = [...look()]
      const all = [...seen.values()]
      return {
        processorSeconds: all.reduce((total, { ticks }) => total + ticks, 0) / TICKS,
        bytes: all.reduce((total, one) => total + one.bytes, 0),
        megabytes: sum(family.map((pid) => /^Pss:\s+(\d+)/m.exec(readProc(pid, 'smaps_rollup'))?.[1])) / 1024,
      }
    },
    stop: () => clearInterval(timer),
  }
}

/** Use between two readings. */
export const since = (before: ProcessTotals, after: ProcessTotals): ProcessTotals => ({
  ...after,
  processorSeconds: after.processorSeconds - before.processorSeconds,
  bytes: after.bytes - before.bytes,
})
