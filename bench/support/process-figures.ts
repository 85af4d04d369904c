import { familyOf, readProc, statOf } from './killable.ts'

/** Clock ticks of /proc per second. */
const TICKS = 100
const SAMPLE_INTERVAL_MS = 250

/** Totals of processes and their descendants. */
export interface ProcessTotals {
  processorSeconds: number
  /** Read and written, through files and connections. */
  bytes: number
  /** Memory now, shared pages divided among their users. */
  megabytes: number
}

/** Sums up the usage of local processes and all their descendants from now on, including those that end. */
export function watchProcesses(pids: number[]): { totals(): ProcessTotals; stop(): void } {
  const seen = new Map<string, { ticks: number; bytes: number }>()
  const sum = (texts: (string | undefined)[]) => texts.reduce((total, text) => total + Number(text ?? 0), 0)
  const sample = () => {
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
  sample()
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS)
  return {
    totals() {
      const family = [...sample()]
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

/** Usage between two readings. */
export const since = (before: ProcessTotals, after: ProcessTotals): ProcessTotals => ({
  ...after,
  processorSeconds: after.processorSeconds - before.processorSeconds,
  bytes: after.bytes - before.bytes,
})
