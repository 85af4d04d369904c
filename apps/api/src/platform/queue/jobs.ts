import { bulkReprocessSchema } from '@mira/shared'
import { z } from 'zod'

/** Data of each kind of job: references by which the handler finds its work, never the work itself. */
export const jobSchemas = {
  /** Removes stored files: given ones, all of a deleted user, or those that no row names any more. */
  'delete-files': z.union([
    z.strictObject({ paths: z.array(z.string().min(1)).min(1).max(1000) }),
    z.strictObject({ user_id: z.uuid() }),
    z.strictObject({ loose: z.literal(true) }),
  ]),
  /** Removes expired rows. */
  'clean-up': z.strictObject({}),
  /** Aggregates the activities of hours that ended or changed. */
  'roll-up-activities': z.strictObject({}),
  /** Processes an item. `since`: time of a request to repeat steps; absent for new items. */
  'process-media': z.strictObject({ media_id: z.uuid(), since: z.iso.datetime().optional() }),
  /** Processes an item that has only long steps left: a video, recording or long document. */
  'process-long-media': z.strictObject({ media_id: z.uuid(), since: z.iso.datetime().optional() }),
  /** Queues a user's items for reprocessing, in batches. */
  'improve-media': bulkReprocessSchema.extend({ user_id: z.uuid(), after: z.uuid().optional() }),
  /** Computes the vectors of the chosen model, and switches the search to them when complete. */
  'fill-embeddings': z.strictObject({ kind: z.enum(['text', 'image']) }),
  /** Updates search words that an earlier version stored, and indexes imported items. */
  'index-words': z.strictObject({}),
  /** Delivers an event to a webhook. */
  'deliver-hook': z.strictObject({ hook_id: z.uuid(), delivery_id: z.uuid() }),
  /** Counts or imports a user's data from another service. */
  'import-things': z.strictObject({ import_id: z.uuid() }),
  /** Moves an import's items to the trash. */
  'undo-import': z.strictObject({ import_id: z.uuid() }),
  /** Sends a notification, or news of an answer, to a device. */
  'send-push': z.union([
    z.strictObject({ subscription_id: z.uuid(), notification_id: z.uuid() }),
    z.strictObject({ subscription_id: z.uuid(), session_id: z.uuid() }),
  ]),
  /** Queues a scan of every watched folder. */
  'scan-folders': z.strictObject({}),
  /** Scans a watched folder. */
  'scan-folder': z.strictObject({ folder_id: z.uuid() }),
  /** Writes an archive of the whole instance. */
  'make-backup': z.strictObject({ backup_id: z.uuid() }),
  /** Loads a backup into an empty database, to prove that it can be restored. */
  'prove-backup': z.strictObject({ backup_id: z.uuid() }),
  /** Copies the instance to off-site storage. */
  'copy-offsite': z.strictObject({}),
  /** Checks some stored files against their hashes. */
  'scrub-files': z.strictObject({}),
}

export type JobName = keyof typeof jobSchemas
export type JobData<Name extends JobName> = z.infer<(typeof jobSchemas)[Name]>

/** Settings of one kind of job. */
export interface JobSettings {
  /** Maximum simultaneous runs per server process, unless the queue overrides it. */
  concurrency: number
  /** Maximum simultaneous runs of one user; unlimited by default. */
  perUser?: number
  /** Jobs with the same value in this field run one at a time, on whichever server. */
  oneAtOnceBy?: string
  /** Other kinds that must not run at the same time for the same value. */
  exclusiveWith?: readonly JobName[]
  /** Time after which a run is aborted and counts as failed. */
  expireInSeconds: number
  /** Retries of a failed run, after 2, 4, 8, … seconds up to 5 minutes. */
  retryLimit: number
  /** Creates one job per period, on whichever server comes first. */
  everySeconds?: number
}

export const jobSettings: Record<JobName, JobSettings> = {
  'delete-files': { concurrency: 1, expireInSeconds: 600, retryLimit: 10 },
  // deleting large accounts takes minutes
  'clean-up': { concurrency: 1, expireInSeconds: 3600, retryLimit: 2, everySeconds: 3600 },
  'roll-up-activities': { concurrency: 1, expireInSeconds: 3600, retryLimit: 2, everySeconds: 300 },
  // failures of steps are stored in rows; an error here means that the database or the process was gone
  'process-media': {
    ...{ concurrency: 16, perUser: 4, oneAtOnceBy: 'media_id', exclusiveWith: ['process-long-media'] },
    ...{ expireInSeconds: 12 * 3600, retryLimit: 20 },
  },
  'process-long-media': {
    ...{ concurrency: 4, perUser: 1, oneAtOnceBy: 'media_id', exclusiveWith: ['process-media'] },
    ...{ expireInSeconds: 12 * 3600, retryLimit: 20 },
  },
  'improve-media': { concurrency: 4, perUser: 1, oneAtOnceBy: 'user_id', expireInSeconds: 600, retryLimit: 20 },
  // a retry resumes the interrupted work; after the last attempt, the sweep creates another job
  'fill-embeddings': { concurrency: 2, oneAtOnceBy: 'kind', expireInSeconds: 24 * 3600, retryLimit: 20 },
  // a retry resumes the interrupted work
  'index-words': { concurrency: 1, expireInSeconds: 12 * 3600, retryLimit: 20 },
  // retried for a day, which is also how long push services keep a message for a device that's away
  'send-push': { concurrency: 16, perUser: 4, oneAtOnceBy: 'subscription_id', expireInSeconds: 60, retryLimit: 290 },
  // failed deliveries create a later job of their own; an error here means that the database or the process was gone
  'deliver-hook': { concurrency: 16, perUser: 4, oneAtOnceBy: 'hook_id', expireInSeconds: 60, retryLimit: 20 },
  // a retry resumes the interrupted work
  'import-things': { concurrency: 8, perUser: 1, oneAtOnceBy: 'import_id', expireInSeconds: 24 * 3600, retryLimit: 20 },
  // undoing thousands of items takes minutes, during which other users shouldn't have to wait
  'undo-import': { concurrency: 8, perUser: 4, oneAtOnceBy: 'import_id', expireInSeconds: 12 * 3600, retryLimit: 20 },
  'scan-folders': { concurrency: 1, expireInSeconds: 60, retryLimit: 1, everySeconds: 60 },
  // problems of the scan are stored in its row
  'scan-folder': { concurrency: 4, perUser: 1, oneAtOnceBy: 'folder_id', expireInSeconds: 12 * 3600, retryLimit: 1 },
  // failures are stored in its row; an error here means that the database or the process was gone
  'make-backup': { concurrency: 1, expireInSeconds: 24 * 3600, retryLimit: 8 },
  // a retry doesn't upload files again that are already there
  'copy-offsite': { concurrency: 1, expireInSeconds: 24 * 3600, retryLimit: 4 },
  // a retry resumes the interrupted work
  'scrub-files': { concurrency: 1, expireInSeconds: 3 * 3600, retryLimit: 1, everySeconds: 3600 },
  // the result is stored in its row; an error here means that the database or the process was gone
  'prove-backup': { concurrency: 1, oneAtOnceBy: 'backup_id', expireInSeconds: 3 * 3600, retryLimit: 8 },
}

/** Number of users whose items one server processes at the same time. */
const MEDIA_USERS = 4

/**
 * Limits of jobs that process items. Each user may have more jobs than simultaneous steps, because while some jobs wait for
 * the database, others run steps. Jobs with long steps leave one step to all other jobs.
 */
export function mediaJobLimits(stepsAtOnce: number) {
  const perUser = stepsAtOnce === 1 ? 1 : 2 * stepsAtOnce
  const longPerUser = Math.max(1, stepsAtOnce - 1)
  return {
    'process-media': { perUser, concurrency: MEDIA_USERS * perUser },
    'process-long-media': { perUser: longPerUser, concurrency: MEDIA_USERS * longPerUser },
  }
}

export const jobNames = Object.keys(jobSchemas) as JobName[]

/** Context of a run, in addition to its data. */
export interface JobRun {
  id: string
  /** Starts at 1. */
  attempt: number
  /** True when a failure of this run is final. */
  isLastAttempt: boolean
  /** Aborted when the run takes too long, another process has taken over the job, or the server stops. */
  signal: AbortSignal
}

/** Handlers by kind. They must be idempotent, because a job may run more than once. */
export type JobHandlers = { [Name in JobName]: (data: JobData<Name>, run: JobRun) => Promise<void> }
