import type { JobHandlers } from '../src/platform/queue/jobs.ts'

/** Handlers of all jobs that do nothing. */
export const idleJobHandlers: JobHandlers = {
  'delete-files': async () => {},
  'clean-up': async () => {},
  'roll-up-activities': async () => {},
  'process-media': async () => {},
  'process-long-media': async () => {},
  'fill-embeddings': async () => {},
  'index-words': async () => {},
  'improve-media': async () => {},
  'make-backup': async () => {},
  'prove-backup': async () => {},
  'scrub-files': async () => {},
  'copy-offsite': async () => {},
  'scan-folders': async () => {},
  'scan-folder': async () => {},
  'import-things': async () => {},
  'undo-import': async () => {},
  'deliver-hook': async () => {},
  'send-push': async () => {},
}
