import { readdirSync, readFileSync } from 'node:fs'

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

/** A process with all that it has started: the sum of their memory, and of their processor time so far. */
export function measureFamily(pid: number): { megabytes: number; processorSeconds: number } {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess)
  const family = all.filter(({ id }) => id === pid)
  for (const parent of family) family.push(...all.filter(({ parentId }) => parentId === parent.id))
  const sum = (of: (one: (typeof all)[number]) => number) => family.reduce((total, one) => total + of(one), 0)
  return { megabytes: sum((one) => one.megabytes), processorSeconds: sum((one) => one.processorSeconds) }
}

/** Empty when it has ended meanwhile. */
function readProcess(name: string) {
  try {
    // the name of the program may hold spaces; the state is the first after it
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? []
    const [, parentId = 0] = fields
    // its own and that of the children whose end it has seen
    const processorSeconds = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / TICKS
    return [{ id: Number(name), parentId, processorSeconds, megabytes: residentMegabytes(Number(name)) }]
  } catch {
    return []
  }
}
