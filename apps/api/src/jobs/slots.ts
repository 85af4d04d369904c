import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Log } from '../log.ts'
import { type JobHandlers, type JobName, type JobRun, jobNames, jobSchemas, jobSettings } from './jobs.ts'

/** The places where jobs are run: as many of each kind as its concurrency says. */
export interface Slots {
  /** Kinds of which another job could be run now. */
  idleNames(): JobName[]
  /** Makes an idle slot look for a job now. */
  wake(name: JobName): void
}

interface Slot {
  /** The id that pg-boss gave its worker; '' until it has. */
  workerId: string
  isBusy: boolean
}

/**
 * pg-boss lets each worker ask the database on its own, and wait between two jobs. Here they sleep until they are woken:
 * the queue asks once for all kinds, a slot that took a job wakes the next one, and one that is done looks again.
 */
const LONGEST_SLEEP_SECONDS = 60

/** Starts the workers of all kinds. */
export async function createSlots(deps: {
  boss: PgBoss
  handlers: JobHandlers
  concurrency: Partial<Record<JobName, number>>
  log: Log
}): Promise<Slots> {
  const { boss, handlers, concurrency, log } = deps
  const slotsByName = new Map<JobName, Slot[]>(jobNames.map((name) => [name, []]))

  const wake = (name: JobName) => {
    const slots = slotsByName.get(name) ?? []
    const slot = slots.find(({ isBusy }) => !isBusy)
    if (!slot) return
    boss.notifyWorker(slot.workerId)
    // The next call wakes another one, should this one not have got to the database yet.
    slots.push(...slots.splice(slots.indexOf(slot), 1))
  }

  const run = async (name: JobName, slot: Slot, job: JobWithMetadata<object>) => {
    const started: JobRun = {
      id: job.id,
      attempt: job.retryCount + 1,
      isLastAttempt: job.retryCount >= job.retryLimit,
      signal: job.signal,
    }
    slot.isBusy = true
    wake(name)
    try {
      const handle = handlers[name] as (data: unknown, run: JobRun) => Promise<void>
      await handle(jobSchemas[name].parse(job.data), started)
    } catch (error) {
      const fields = { err: error, job: name, job_id: job.id, attempt: started.attempt }
      if (started.isLastAttempt) log.error(fields, 'a job failed for good')
      else log.warn(fields, 'a job failed and is tried again')
      throw error
    } finally {
      slot.isBusy = false
      boss.notifyWorker(slot.workerId)
    }
  }

  for (const name of jobNames) {
    const { concurrency: usual, oneAtOnceBy } = jobSettings[name]
    for (let n = 0; n < (concurrency[name] ?? usual); n++) {
      const slot: Slot = { workerId: '', isBusy: false }
      slotsByName.get(name)?.push(slot)
      const options = { includeMetadata: true, batchSize: 1, pollingIntervalSeconds: LONGEST_SLEEP_SECONDS } as const
      const grouped = oneAtOnceBy ? { groupConcurrency: 1 } : {}
      slot.workerId = await boss.work(name, { ...options, ...grouped }, async ([job]: JobWithMetadata<object>[]) => {
        if (job) await run(name, slot, job)
      })
    }
  }

  return {
    idleNames: () => jobNames.filter((name) => slotsByName.get(name)?.some(({ isBusy }) => !isBusy)),
    wake,
  }
}
