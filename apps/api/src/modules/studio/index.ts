import type { Logger } from 'pino'
import type { Ai } from '../../engines/ai.ts'
import type { PictureFiles } from '../../parsers/image/picture-files.ts'
import type { Pixels } from '../../parsers/image/pixels.ts'
import { sniffFile } from '../../parsers/sniff/sniff.ts'
import type { Database } from '../../platform/database/client.ts'
import type { LooseFiles } from '../../platform/database/loose-files.ts'
import type { Events } from '../../platform/events/events.service.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import { createAdmission } from '../../platform/storage/admission.ts'
import type { Files } from '../../platform/storage/files.ts'
import type { RequireRoom } from '../../platform/storage/storage-limit.ts'
import type { FileReaders, MediaService } from '../library/index.ts'
import { cleanFileName, createItemPictures, createItemPicturesStore } from '../library/index.ts'
import { EFFECT_LIMITS, effectLimitWords } from './effects/effect-limits.ts'
import { createEffectPool } from './effects/effect-pool.ts'
import { createSourcesService, type SourcesService } from './effects/effect-sources.service.ts'
import { createEffectsService, type EffectsService } from './effects/effects.service.ts'
import { createEffectsStore } from './effects/effects.store.ts'
import { createMadePictures, type MadePicturesService } from './effects/made-pictures.service.ts'

export interface EffectsTools {
  log: Logger
  database: Database
  files: Files
  looseFiles: LooseFiles
  pictureFiles: PictureFiles
  pixels: Pixels
  ai: Ai
  events: Events
  media: MediaService
  readers: FileReaders
  requireRoom: RequireRoom
  signPath(userId: string, path: string): string
  removeLooseFiles(): Promise<void>
}

/** Builds the Image Effects Studio. */
export function buildEffects(tools: EffectsTools): {
  effects: EffectsService
  madePictures: MadePicturesService
  effectSources: SourcesService
} {
  const { log, database, files, looseFiles, pictureFiles, pixels, ai, events, media, signPath } = tools
  const { removeLooseFiles } = tools
  const itemPictures = createItemPictures({
    find: createItemPicturesStore(database).find,
    ...tools.readers,
    files,
    log,
    // more never wait: no more are let in
    semaphore: createSemaphore({ permits: 2, maxWaiting: EFFECT_LIMITS.inAll }),
  })
  const store = createEffectsStore(database)
  const effects = createEffectsService({
    store,
    files,
    looseFiles,
    pixels,
    signPath,
    log,
    keptFreeBytes: EFFECT_LIMITS.keptFreeBytes,
    pool: createEffectPool(),
    // one of 50 megapixels takes some 500 MB while it is worked on
    semaphore: createSemaphore({ permits: 1, maxWaiting: 24, maxWaitingPerUser: 12 }),
    modelSemaphore: createSemaphore({ permits: 4, perUser: 2, maxWaiting: 24, maxWaitingPerUser: 12 }),
    imageEditor: ai.imageEditing,
    editorOffReason: () =>
      ai.sentenceOff('image_edit') ?? { text: 'The model that edits pictures does not work right now.', told: [] },
    publish: events.publish,
  })
  const madePictures = createMadePictures({
    store,
    files,
    pixels,
    pictureFiles,
    signPath,
    removeLooseFiles,
    semaphore: createSemaphore({ permits: 1, maxWaiting: 24, maxWaitingPerUser: 12 }),
    addMediaItem: media.add,
    mediaItem: media.item,
  })
  const effectSources = createSourcesService({
    files,
    sniffFile,
    useMediaPicture: itemPictures.use,
    admit: createAdmission({
      freeBytes: () => files.freeBytes(),
      limits: EFFECT_LIMITS,
      words: effectLimitWords,
      requireRoom: tools.requireRoom,
    }),
    cleanName: cleanFileName,
  })
  return { effects, madePictures, effectSources }
}
