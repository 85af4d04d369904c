import { setTimeout as sleep } from 'node:timers/promises'
import { between, type Random } from '../../apps/api/test/chance.ts'

/** Kind of process to kill. */
export interface Target {
  kind: string
  /** Share of the kills, relative to the others. */
  weight: number
  /** Kills one process of this kind. Returns its name and its restart function; null while none may be killed. */
  kill(chance: Random): Promise<{ name: string; start(): Promise<void> } | null>
}

export interface Kill {
  number: number
  kind: string
  name: string
  /** Time of `performance.now()`. */
  at: number
}

export interface KillPlan {
  count: number
  /** No kill after this time of `performance.now()`. */
  until: number
  chance: Random
  /** True when a write started after this time has succeeded. */
  isServing(since: number): boolean
  onKill(kill: Kill): void
}

/** Pauses between a recovery and the next kill, and between a kill and the restart. */
const [GAP_MS, DOWN_MS] = [
  [0, 5_000],
  [500, 6_000],
] as const
/** Delay before the next attempt when nothing may be killed. */
const WAIT_MS = 500
/** Time after which the next kill follows even without a recovery. */
const MAX_OUTAGE_MS = 60_000

/** Kills at random times and restarts. Ends after `count` kills or at `until`, once everything runs again. */
export async function killAtRandom(
  targets: Target[],
  { count, until, chance, isServing, onKill }: KillPlan,
): Promise<Kill[]> {
  const kills: Kill[] = []
  const starting = new Set<Promise<void>>()
  const total = targets.reduce((sum, { weight }) => sum + weight, 0)
  while (kills.length < count && performance.now() < until) {
    let left = chance() * total
    const target = targets.find(({ weight }) => {
      left -= weight
      return left < 0
    })
    const killed = await target?.kill(chance)
    if (!target || !killed) {
      await sleep(WAIT_MS)
      continue
    }
    const kill = { number: kills.length + 1, kind: target.kind, name: killed.name, at: performance.now() }
    kills.push(kill)
    onKill(kill)
    const start = sleep(between(chance, ...DOWN_MS))
      .then(killed.start)
      .finally(() => starting.delete(start))
    starting.add(start)
    while (!isServing(kill.at) && performance.now() < kill.at + MAX_OUTAGE_MS) await sleep(100)
    await sleep(between(chance, ...GAP_MS))
  }
  await Promise.all(starting)
  return kills
}
