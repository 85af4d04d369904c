import { improveSchema } from '@mira/shared'
import { z } from 'zod'

/** Data of each kind of job. Rows contain references by which the handler finds its work, never the work itself. */
export const jobSchemas = {
  /** Removes stored files: some, everything that a user who was deleted had, or those that no row names any more. */
  'delete-files': z.union([
    z.strictObject({ paths: z.array(z.string().min(1)).min(1).max(1000) }),
    z.strictObject({ user_id: z.uuid() }),
    z.strictObject({ loose: z.literal(true) }),
  ]),
  /** Removes rows whose time is over. */
  'clean-up': z.strictObject({}),
  /** Adds up the activities of hours that ended or changed. */
  'roll-up-activities': z.strictObject({}),
  /** Next steps of an item. `since`: when steps of it were requested again; absent for new items. */
  'process-media': z.strictObject({ media_id: z.uuid(), since: z.iso.datetime().optional() }),
  /** The same, for items that have only long steps left: of films, recordings and long documents. */
  'process-long-media': z.strictObject({ media_id: z.uuid(), since: z.iso.datetime().optional() }),
  /** Gives items of a person to the processing again, some at a time. */
  'improve-media': improveSchema.extend({ user_id: z.uuid(), after: z.uuid().optional() }),
  /** Makes the vectors of the chosen model, and searches with them when all are there. */
  'fill-embeddings': z.strictObject({ kind: z.enum(['text', 'image']) }),
  /** Brings the words of moments up to date that were stored by a version before, and has the search find what was imported. */
  'index-words': z.strictObject({}),
  /** Tells a hook of something. */
  'deliver-hook': z.strictObject({ hook_id: z.uuid(), delivery_id: z.uuid() }),
  /** Counts or brings what a person has elsewhere. */
  'import-things': z.strictObject({ import_id: z.uuid() }),
  /** Moves what an import brought to the trash. */
  'undo-import': z.strictObject({ import_id: z.uuid() }),
  /** Tells a device of something behind the bell, or of an answer. */
  'send-push': z.union([
    z.strictObject({ subscription_id: z.uuid(), notification_id: z.uuid() }),
    z.strictObject({ subscription_id: z.uuid(), session_id: z.uuid() }),
  ]),
  /** Has every watched folder looked through. */
  'scan-folders': z.strictObject({}),
  /** Looks through a watched folder. */
  'scan-folder': z.strictObject({ folder_id: z.uuid() }),
  /** Writes an archive of the whole instance. */
  'make-backup': z.strictObject({ backup_id: z.uuid() }),
  /** Loads a backup into an empty database, to know that it can be restored. */
  'prove-backup': z.strictObject({ backup_id: z.uuid() }),
  /** Copies the instance to the off-site place. */
  'copy-offsite': z.strictObject({}),
  /** Reads some stored files against their hashes. */
  'scrub-files': z.strictObject({}),
}

export type JobName = keyof typeof jobSchemas
export type JobData<Name extends JobName> = z.infer<(typeof jobSchemas)[Name]>

/** Settings of one kind of job. */
export interface JobSettings {
  /** Simultaneous runs in one server process, unless the queue overrides it. */
  concurrency: number
  /** Maximum number of these that belong to one user; all of them without it. */
  perUser?: number
  /** Jobs with the same value in this field run one at a time, on whichever server. */
  oneAtOnceBy?: string
  /** Other kinds that share these values. */
  exclusiveWith?: readonly JobName[]
  /** After this long a run is aborted and counts as failed. */
  expireInSeconds: number
  /** Retries of a failed run, after 2, 4, 8, … seconds up to 5 minutes. */
  retryLimit: number
  /** One job is made in each such period, by whichever server comes first. */
  everySeconds?: number
}

export const jobSettings: Record<JobName, JobSettings> = {
  'delete-files': { concurrency: 1, expireInSeconds: 600, retryLimit: 10 },
  // deleting large accounts takes minutes
  'clean-up': { concurrency: 1, expireInSeconds: 3600, retryLimit: 2, everySeconds: 3600 },
  'roll-up-activities': { concurrency: 1, expireInSeconds: 3600, retryLimit: 2, everySeconds: 300 },
  // what it cannot do it says in rows; an error here means that the database was away, or the process
  'process-media': {
    ...{ concurrency: 16, perUser: 4, oneAtOnceBy: 'media_id', exclusiveWith: ['process-long-media'] },
    ...{ expireInSeconds: 12 * 3600, retryLimit: 20 },
  },
  'process-long-media': {
    ...{ concurrency: 4, perUser: 1, oneAtOnceBy: 'media_id', exclusiveWith: ['process-media'] },
    ...{ expireInSeconds: 12 * 3600, retryLimit: 20 },
  },
  'improve-media': { concurrency: 4, perUser: 1, oneAtOnceBy: 'user_id', expireInSeconds: 600, retryLimit: 20 },
  // resumes where it was; the sweep creates another one when this one is given up
  'fill-embeddings': { concurrency: 2, oneAtOnceBy: 'kind', expireInSeconds: 24 * 3600, retryLimit: 20 },
  // resumes where it was
  'index-words': { concurrency: 1, expireInSeconds: 12 * 3600, retryLimit: 20 },
  // what does not arrive makes a job of its own for later; an error here means that the database was away, or the process
  'send-push': { concurrency: 16, perUser: 4, oneAtOnceBy: 'subscription_id', expireInSeconds: 60, retryLimit: 6 },
  'deliver-hook': { concurrency: 16, perUser: 4, oneAtOnceBy: 'hook_id', expireInSeconds: 60, retryLimit: 20 },
  // resumes where it was
  'import-things': { concurrency: 8, perUser: 1, oneAtOnceBy: 'import_id', expireInSeconds: 24 * 3600, retryLimit: 20 },
  // those of thousands take minutes, in which others are not to wait
  'undo-import': { concurrency: 8, perUser: 4, oneAtOnceBy: 'import_id', expireInSeconds: 12 * 3600, retryLimit: 20 },
  'scan-folders': { concurrency: 1, expireInSeconds: 60, retryLimit: 1, everySeconds: 60 },
  // what keeps it from being looked through stands in its row
  'scan-folder': { concurrency: 4, perUser: 1, oneAtOnceBy: 'folder_id', expireInSeconds: 12 * 3600, retryLimit: 1 },
  // what keeps it from being made stands in its row; an error here means that the process or the database went away
  'make-backup': { concurrency: 1, expireInSeconds: 24 * 3600, retryLimit: 8 },
  // the row says how it went; an error here means that the process or the database went away
  // what was uploaded is not uploaded again
  'copy-offsite': { concurrency: 1, expireInSeconds: 24 * 3600, retryLimit: 4 },
  // resumes where it was
  'scrub-files': { concurrency: 1, expireInSeconds: 3 * 3600, retryLimit: 1, everySeconds: 3600 },
  'prove-backup': { concurrency: 1, oneAtOnceBy: 'backup_id', expireInSeconds: 3 * 3600, retryLimit: 8 },
}

/** Number of users whose items one server works on at the same time. */
const MEDIA_USERS = 4

/**
 * Bounds of the jobs that process items, of which each user may have some more than there are steps at once: while some
 * wait for the database, steps of others are done. Long steps leave one of these to everything else.
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
  /** From 1. */
  attempt: number
  /** True when a failure of this run is final. */
  isLastAttempt: boolean
  /** Aborted when the run takes too long, when another process has taken the job over, and when the server stops. */
  signal: AbortSignal
}

/** One handler for each kind; a job may be run more than once, so handlers must not mind. */
export type JobHandlers = { [Name in JobName]: (data: JobData<Name>, run: JobRun) => Promise<void> }
