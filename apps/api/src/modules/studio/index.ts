import type { Ai } from '../../engines/ai.ts'
import type { Log } from '../../log.ts'
import type { PictureFiles } from '../../parsers/image/picture-files.ts'
import type { Pixels } from '../../parsers/image/pixels.ts'
import type { Database } from '../../platform/database/client.ts'
import type { LooseFiles } from '../../platform/database/loose-files.ts'
import type { Events } from '../../platform/events/events.service.ts'
import type { PathSigner } from '../../platform/lib/path-signer.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { createAdmission } from '../../platform/storage/admission.ts'
import type { Files } from '../../platform/storage/files.ts'
import type { RequireSpace } from '../../platform/storage/storage-limit.ts'
import { createItemPictures, createItemPicturesStore, type FileReaders, type MediaService } from '../library/index.ts'
import { EFFECT_LIMITS, effectLimitWords } from './effects/effect-kind.ts'
import { createEffectPool } from './effects/effect-pool.ts'
import { createSourcesService } from './effects/effect-sources.service.ts'
import { createEffectsService } from './effects/effects.service.ts'
import { createEffectsStore } from './effects/effects.store.ts'
import { createMadePictures } from './effects/made-pictures.service.ts'

export interface StudioDeps {
  log: Log
  database: Database
  files: Files
  looseFiles: LooseFiles
  pictureFiles: PictureFiles
  pixels: Pixels
  ai: Ai
  events: Events
  media: MediaService
  readers: FileReaders
  requireSpace: RequireSpace
  signedPaths: PathSigner
  queue: Pick<Queue, 'enqueue'>
}

/** Builds the Image Effects Studio. */
export function buildEffects(deps: StudioDeps) {
  const { log, database, files, looseFiles, pictureFiles, pixels, ai, events, media, signedPaths, queue } = deps
  const itemPictures = createItemPictures({
    find: createItemPicturesStore(database).find,
    ...deps.readers,
    files,
    log,
    // No more can wait: admission lets no more in.
    semaphore: createSemaphore({ permits: 2, maxWaiting: EFFECT_LIMITS.inAll }),
  })
  const store = createEffectsStore(database)
  const effects = createEffectsService({
    store,
    files,
    looseFiles,
    pixels,
    signedPaths,
    log,
    pool: createEffectPool(),
    // A picture of 50 megapixels takes about 500 MB while it's processed.
    semaphore: createSemaphore({ permits: 1, maxWaiting: 24, maxWaitingPerUser: 12 }),
    modelSemaphore: createSemaphore({ permits: 4, perUser: 2, maxWaiting: 24, maxWaitingPerUser: 12 }),
    ai,
    events,
  })
  const madePictures = createMadePictures({
    store,
    files,
    pixels,
    pictureFiles,
    signedPaths,
    media,
    queue,
    semaphore: createSemaphore({ permits: 1, maxWaiting: 24, maxWaitingPerUser: 12 }),
  })
  const effectSources = createSourcesService({
    files,
    itemPictures,
    admit: createAdmission({
      freeBytes: () => files.freeBytes(),
      limits: EFFECT_LIMITS,
      words: effectLimitWords,
      requireSpace: deps.requireSpace,
    }),
  })
  return { effects, madePictures, effectSources }
}
