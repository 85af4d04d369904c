import type { Logger } from 'pino'
import type { Ai } from './adapters/ai/ai.ts'
import { createEntrance, type EntranceLimits, type EntranceWords } from './adapters/files/entrance.ts'
import type { Files } from './adapters/files/files.ts'
import type { RequireRoom } from './adapters/files/room.ts'
import type { PictureFiles } from './adapters/media/picture-files.ts'
import { createPixels } from './adapters/media/pixels.ts'
import { sniffFile } from './adapters/media/sniff.ts'
import { createTurns } from './adapters/media/turns.ts'
import type { Drawing } from './context-media.ts'
import type { Database } from './db/client.ts'
import type { LooseFiles } from './db/loose-files.ts'
import { createEffectPool } from './features/effects/effect-pool.ts'
import { createSourcesService, type SourcesService } from './features/effects/effect-sources.service.ts'
import { createEffectsService, type EffectsService } from './features/effects/effects.service.ts'
import { createEffectsStore } from './features/effects/effects.store.ts'
import { createMadePictures, type MadePicturesService } from './features/effects/made-pictures.service.ts'
import type { Events } from './features/events/events.service.ts'
import { cleanFileName } from './features/media/file-name.ts'
import { createItemPictures } from './features/media/item-pictures.service.ts'
import { createItemPicturesStore } from './features/media/item-pictures.store.ts'
import type { MediaService } from './features/media/media.service.ts'

/** One person's pictures wait for each other, and leave room for those of others. */
const ENTRANCE_LIMITS: EntranceLimits = { perUser: 3, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }
const ENTRANCE_WORDS: EntranceWords = {
  ofUser: {
    sentence: `Let at most ${ENTRANCE_LIMITS.perUser} pictures be worked on at the same time.`,
    code: 'busy',
  },
  inAll: 'Too many pictures are being worked on right now. Try again in a moment.',
}

export interface EffectsGround {
  log: Logger
  database: Database
  files: Files
  looseFiles: LooseFiles
  pictureFiles: PictureFiles
  ai: Ai
  events: Events
  media: MediaService
  drawing: Drawing
  requireRoom: RequireRoom
  signPath(userId: string, path: string): string
  removeLooseFiles(): Promise<void>
}

/** Builds the Image Effects Studio. */
export function buildEffects(ground: EffectsGround): {
  effects: EffectsService
  madePictures: MadePicturesService
  effectSources: SourcesService
} {
  const { log, database, files, looseFiles, pictureFiles, ai, events, media, signPath, removeLooseFiles } = ground
  const itemPictures = createItemPictures({
    find: createItemPicturesStore(database).find,
    ...ground.drawing,
    ...{ files, log },
    // more never wait: no more are let in
    takeTurn: createTurns({ atOnce: 2, waiting: ENTRANCE_LIMITS.inAll }),
  })
  const store = createEffectsStore(database)
  const pixels = createPixels()
  const effects = createEffectsService({
    ...{ store, files, looseFiles, pixels, signPath, log },
    keptFreeBytes: ENTRANCE_LIMITS.keptFreeBytes,
    pool: createEffectPool(),
    // one of 50 megapixels takes some 500 MB while it is worked on
    takeTurn: createTurns({ atOnce: 1, waiting: 12 }),
    takeModelTurn: createTurns({ atOnce: 2, waiting: 12 }),
    imageEditor: ai.imageEditing,
    editorOffReason: () => ai.reasonOff('image_edit') ?? 'The model that edits pictures does not work right now.',
    publish: events.publish,
  })
  const madePictures = createMadePictures({
    ...{ store, files, pixels, pictureFiles, signPath, removeLooseFiles },
    takeTurn: createTurns({ atOnce: 1, waiting: 12 }),
    addMediaItem: media.add,
    mediaItem: media.item,
  })
  const effectSources = createSourcesService({
    ...{ files, sniffFile, useMediaPicture: itemPictures.use },
    enter: createEntrance({
      freeBytes: () => files.freeBytes(),
      limits: ENTRANCE_LIMITS,
      words: ENTRANCE_WORDS,
      requireRoom: ground.requireRoom,
    }),
    cleanName: cleanFileName,
  })
  return { effects, madePictures, effectSources }
}
