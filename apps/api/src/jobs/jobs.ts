import { z } from 'zod'

/** What each kind of job is told. Rows hold what the handler needs to find its work, never the work itself. */
export const jobSchemas = {
  /** Removes stored files: some, everything that a user who was deleted had, or those that no row names any more. */
  'delete-files': z.union([
    z.strictObject({ paths: z.array(z.string().min(1)).min(1).max(1000) }),
    z.strictObject({ user_id: z.uuid() }),
    z.strictObject({ loose: z.literal(true) }),
  ]),
  /** Removes rows whose time is over. */
  'clean-up': z.strictObject({}),
}

export type JobName = keyof typeof jobSchemas
export type JobData<Name extends JobName> = z.infer<(typeof jobSchemas)[Name]>

/** How the jobs of one kind are run. */
export interface JobSettings {
  /** How many run at once in one server process. */
  concurrency: number
  /** After this long a run is aborted and counts as failed. */
  expireInSeconds: number
  /** How often a failed run is tried again, after 2, 4, 8, … seconds up to 5 minutes. */
  retryLimit: number
  /** One job is made in each such period, by whichever server comes first. */
  everySeconds?: number
}

export const jobSettings: Record<JobName, JobSettings> = {
  'delete-files': { concurrency: 1, expireInSeconds: 600, retryLimit: 10 },
  'clean-up': { concurrency: 1, expireInSeconds: 300, retryLimit: 2, everySeconds: 3600 },
}

export const jobNames = Object.keys(jobSchemas) as JobName[]

/** What a handler knows about its run beside the data. */
export interface JobRun {
  id: string
  /** From 1. */
  attempt: number
  /** Whether a failure of this run is final. */
  isLastAttempt: boolean
  /** Aborted when the run takes too long, when another process has taken the job over, and when the server stops. */
  signal: AbortSignal
}

/** One handler for each kind; a job may be run more than once, so handlers must not mind. */
export type JobHandlers = { [Name in JobName]: (data: JobData<Name>, run: JobRun) => Promise<void> }
