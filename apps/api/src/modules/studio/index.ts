import type { Common } from '../../common.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'
import { createAdmission } from '../../platform/storage/admission.ts'
import { createItemPictures, createItemPicturesStore, type FileReaders, type MediaService } from '../library/index.ts'
import { EFFECT_LIMITS, effectLimitTexts } from './effects/effect-kind.ts'
import { createEffectPool } from './effects/effect-pool.ts'
import { createEffectsService } from './effects/effects.service.ts'
import { createEffectsStore } from './effects/effects.store.ts'
import { createMadePictures } from './effects/made-pictures.service.ts'

interface StudioDeps extends Common {
  media: MediaService
  readers: FileReaders
}

/** Builds the Image Effects Studio. */
export function buildEffects(deps: StudioDeps) {
  const { log, database, files } = deps
  const itemPictures = createItemPictures({
    find: createItemPicturesStore(database).find,
    ...deps.readers,
    files,
    log,
    // Admission lets no more requests in than this.
    semaphore: createSemaphore({ permits: 2, maxWaiting: EFFECT_LIMITS.total }),
  })
  const store = createEffectsStore(database)
  const effects = createEffectsService({
    ...deps,
    store,
    itemPictures,
    admit: createAdmission({
      freeBytes: () => files.freeBytes(),
      limits: EFFECT_LIMITS,
      texts: effectLimitTexts,
      requireSpace: deps.requireSpace,
    }),
    pool: createEffectPool(),
    // A picture of 50 megapixels takes about 500 MB while it's processed.
    semaphore: createSemaphore({ permits: 1, maxWaiting: 24, maxWaitingPerUser: 12 }),
    modelSemaphore: createSemaphore({ permits: 4, perUser: 2, maxWaiting: 24, maxWaitingPerUser: 12 }),
  })
  const madePictures = createMadePictures({
    ...deps,
    store,
    semaphore: createSemaphore({ permits: 1, maxWaiting: 24, maxWaitingPerUser: 12 }),
  })
  return { effects, madePictures }
}
