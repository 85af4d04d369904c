import type { Common } from './common.ts'
import type { buildBackups } from './modules/admin/backups/index.ts'
import type { RollupsService } from './modules/admin/insights/rollups.service.ts'
import type { buildWebhooks } from './modules/automation/index.ts'
import type { PushService } from './modules/automation/push/push.service.ts'
import type { AuditSealing } from './modules/identity/audit/audit.service.ts'
import type { buildImports, buildLibrary } from './modules/library/index.ts'
import type { Processing } from './modules/library/pipeline/index.ts'
import type { PartialUploadsService } from './modules/library/upload/partial-uploads.service.ts'
import type { EmbeddingSwitchService, WordIndex } from './modules/search/index.ts'
import { tryEach } from './platform/database/try-each.ts'
import { createCleanUp, createDeleteFiles } from './platform/queue/clean-up.ts'
import type { JobHandlers } from './platform/queue/jobs.ts'

interface JobsTools
  extends Common,
    Pick<ReturnType<typeof buildLibrary>, 'bulkReprocessing' | 'scanning' | 'watchedFolders'>,
    Pick<ReturnType<typeof buildImports>, 'imports' | 'importRunner' | 'conversationIndexing'>,
    Pick<Processing, 'processing' | 'resuming'>,
    Pick<ReturnType<typeof buildBackups>, 'backups' | 'trialRestores' | 'scrubbing' | 'offsite'>,
    Pick<ReturnType<typeof buildWebhooks>, 'webhookDeliveries' | 'webhookNotices'> {
  embeddingSwitch: EmbeddingSwitchService
  wordIndex: WordIndex
  partialUploads: PartialUploadsService
  push: PushService
  rollups: RollupsService
  auditSealing: AuditSealing
  /** Removes accounts whose time in the trash is over. */
  emptyAccountTrash(): Promise<unknown>
}

/** Builds the handler of each kind of job, and a sweep for work without a job. */
export function buildJobs(tools: JobsTools): { handlers: JobHandlers; sweep(): Promise<void> } {
  const { log, database, queue, settings, files, unreferencedFiles, rollups, processing, resuming } = tools
  const {
    bulkReprocessing,
    embeddingSwitch,
    wordIndex,
    conversationIndexing,
    backups,
    trialRestores,
    scrubbing,
    offsite,
    partialUploads,
    webhookDeliveries,
    webhookNotices,
    imports,
    importRunner,
    scanning,
    watchedFolders,
  } = tools
  const cleanUpRows = createCleanUp({ pool: database.pool, retention: () => settings.current().retention, log })
  return {
    handlers: {
      'delete-files': createDeleteFiles({ files, unreferencedFiles, removePartialsOf: partialUploads.removeAllOf }),
      'clean-up': () =>
        tryEach(
          [
            async () => {
              await rollups.beforeRemoving(settings.current().retention.activity_days)
              await cleanUpRows()
            },
            tools.emptyAccountTrash,
            partialUploads.cleanUp,
            imports.cleanUp,
            tools.auditSealing.verify,
            // Not awaited, since it takes minutes.
            async () => void wordIndex.keepIndexedByUser(),
          ],
          (work) => work(),
        ),
      ...processing.handlers,
      'improve-media': (job, run) => bulkReprocessing.run(job, run),
      'roll-up-activities': (_data, { signal }) => rollups.run(signal),
      'fill-embeddings': ({ kind }, { signal }) => embeddingSwitch.run(kind, signal),
      'index-words': async (_data, { signal }) => {
        await wordIndex.run(signal)
        await conversationIndexing.run(signal)
      },
      'deliver-hook': ({ delivery_id: id }, { signal }) => webhookDeliveries.handleJob(id, signal),
      'import-things': ({ import_id: id }, run) => importRunner.handleJob(id, run),
      'undo-import': ({ import_id: id }, { signal }) => imports.undo(id, signal),
      'send-push': (job, run) => tools.push.handleJob(job, run),
      'scan-folders': watchedFolders.scanAll,
      'scan-folder': ({ folder_id: id }, { signal }) => scanning.run(id, signal),
      'make-backup': ({ backup_id: id }, { signal }) => backups.run(id, signal),
      'copy-offsite': (_data, run) => offsite.run(run),
      'scrub-files': (_data, { signal }) => scrubbing.run(signal),
      'prove-backup': ({ backup_id: id }, { signal }) => trialRestores.run(id, signal),
    },
    /** Finds work without a job, as after a crash: files to delete, unprocessed items, unsent webhooks, and others. */
    sweep: async () => {
      // A job from an earlier sweep may still be waiting or running.
      const unlessQueued = { unlessQueued: true }
      resuming.resumeSoon()
      await tryEach(
        [
          async () => {
            if (await unreferencedFiles.hasDue()) await queue.enqueue('delete-files', { loose: true }, unlessQueued)
          },
          processing.sweep,
          backups.sweep,
          trialRestores.sweep,
          webhookNotices.sweep,
          webhookDeliveries.sweep,
          imports.sweep,
          async () => {
            if ((await wordIndex.isWaiting()) || (await conversationIndexing.isWaiting())) {
              await queue.enqueue('index-words', {}, unlessQueued)
            }
          },
          async () => {
            for (const kind of await embeddingSwitch.waiting()) {
              await queue.enqueue('fill-embeddings', { kind }, unlessQueued)
            }
          },
        ],
        (sweep) => sweep(),
      )
    },
  }
}
