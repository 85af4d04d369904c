import { join } from 'node:path'
import { PARTIAL_UPLOAD_HOURS } from '@mira/shared'
import type { Enter } from './adapters/files/entrance.ts'
import type { Files } from './adapters/files/files.ts'
import { createPartialFiles } from './adapters/files/partial-files.ts'
import type { RequireRoom } from './adapters/files/room.ts'
import { createTus } from './adapters/files/tus.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { MediaService } from './features/media/media.service.ts'
import { createPartialUploadLocks } from './features/media/partial-upload-locks.ts'
import { createPartialUploadsService, type PartialUploadsService } from './features/media/partial-uploads.service.ts'
import { createPartialUploadsStore } from './features/media/partial-uploads.store.ts'
import type { UploadService } from './features/media/upload.service.ts'

export interface PartialUploadsGround {
  config: Pick<Config, 'dataDir'>
  database: Database
  files: Files
  media: MediaService
  uploads: UploadService
  enter: Enter
  requireRoom: RequireRoom
  maxBytes(): number
}

/** Builds what takes large files in parts. */
export async function buildPartialUploads(
  ground: PartialUploadsGround,
): Promise<{ partialUploads: PartialUploadsService; removePartialsOf(userId: string): Promise<void> }> {
  const { config, database, files, media, uploads, enter, requireRoom, maxBytes } = ground
  // on the same disk as the files that they become
  const partialFiles = await createPartialFiles({ directory: join(config.dataDir, 'files', 'partial') })
  const store = createPartialUploadsStore(database)
  const partialUploads = createPartialUploadsService({
    ...{ store, partialFiles, files, media, uploads, enter, requireRoom, maxBytes },
    locks: createPartialUploadLocks({ store }),
    createTus: (rules) =>
      createTus({
        ...{ files: partialFiles, rules },
        path: '/api/media/uploads',
        lifetimeMs: PARTIAL_UPLOAD_HOURS * 3_600_000,
      }),
  })
  return { partialUploads, removePartialsOf: partialFiles.removeAll }
}
