import { processingStepNameSchema } from '@mira/shared'
import { AppError, NotFoundError, sentenceOf, UnavailableError } from '../../../../errors.ts'
import { isOutage } from '../../../../platform/database/availability.ts'
import type { UnreferencedFiles } from '../../../../platform/database/unreferenced-files.ts'
import { sha256Of } from '../../../../platform/lib/hashing.ts'
import type { Files } from '../../../../platform/storage/files.ts'
import { type Sentence, say } from '../../../../sentences.ts'
import type { ProcessingService } from '../../../library/index.ts'
import type {
  EmbeddingService,
  EmbeddingSwitchService,
  EmbeddingsStore,
  KnownItems,
  PartRow,
} from '../../../search/index.ts'
import type { Task, TaskRun } from '../task.ts'
import type { UpkeepStore } from '../upkeep.store.ts'

const MINUTE_MS = 60_000
const ITEMS_BATCH = 20
const MAX_EMBEDDED = 2000
const MAX_RETRIED = 50
/** Limits of one run; over time, the daily runs verify every file. */
const MAX_VERIFIED = 1000
const MAX_VERIFIED_BYTES = 4 * 1024 ** 3
/** Number of unreadable files after which verification ends, since so many mean that the disk is away. */
const MAX_UNREADABLE = 20
const kinds = ['text', 'image'] as const

/**
 * Maintenance of the memory: fills missing vectors, retries failed steps, removes orphans, verifies stored files, and
 * measures whether known items are found.
 */
export function createMemoryUpdate(deps: {
  upkeep: UpkeepStore
  embeddings: EmbeddingsStore
  embedding: EmbeddingService
  embeddingSwitch: EmbeddingSwitchService
  readPart(part: PartRow): Promise<Uint8Array>
  processing: ProcessingService
  files: Files
  unreferencedFiles: UnreferencedFiles
  knownItems: KnownItems
}): Task {
  const { upkeep, embeddings, embedding, embeddingSwitch, readPart, processing, files, unreferencedFiles, knownItems } =
    deps

  /** Items without vectors of the model in use, except those already tried; null when no model is in use. */
  const itemsWithoutVectors = async (kind: (typeof kinds)[number], triedIds: string[]) => {
    const profile = await embeddings.activeProfile(kind)
    const isUsed = profile !== null && embedding.isChosen(profile)
    return isUsed ? embeddings.itemsToFill(profile, ITEMS_BATCH, triedIds) : null
  }

  const embed = (run: TaskRun, kind: (typeof kinds)[number]) =>
    run.step(`vectors_${kind}`, async (progress) => {
      await embeddingSwitch.run(kind, run.signal)
      const triedIds: string[] = []
      let failed = 0
      for (;;) {
        run.signal.throwIfAborted()
        const items = await itemsWithoutVectors(kind, triedIds)
        if (items === null) {
          run.note('info', say('no_vectors', { kind }))
          break
        }
        for (const item of items) {
          run.signal.throwIfAborted()
          triedIds.push(item.id)
          try {
            if (kind === 'text') await embedding.embedItem(item, run.signal)
            else await embedding.embedItemPictures(item, readPart, run.signal)
            progress.done()
          } catch (error) {
            run.signal.throwIfAborted()
            failed++
            progress.failed(itemFailed(item.id, error))
          }
        }
        // After this many failures, the engine would probably fail for the rest, too.
        if (items.length < ITEMS_BATCH || triedIds.length >= MAX_EMBEDDED || failed >= ITEMS_BATCH) break
      }
      return { [`${kind}_embedded`]: triedIds.length - failed, [`${kind}_failed`]: failed }
    })

  const retry = (run: TaskRun) =>
    run.step('failed_steps', async (progress) => {
      const items = await upkeep.failedSteps(MAX_RETRIED)
      progress.total(items.length)
      let retriedCount = 0
      for (const { id, userId, steps } of items) {
        run.signal.throwIfAborted()
        const names = steps.map((step) => processingStepNameSchema.parse(step))
        try {
          await processing.reprocess(userId, id, names, { retriesOnce: true })
          retriedCount++
        } catch (error) {
          run.signal.throwIfAborted()
          if (isOutage(error)) throw error
          if (!(error instanceof NotFoundError)) progress.failed(itemFailed(id, error))
        }
        progress.done()
      }
      return { steps_retried: retriedCount }
    })

  const removeOrphans = (run: TaskRun) =>
    run.step('orphans', async (progress) => {
      const count = await upkeep.countUnreferencedFiles()
      progress.total(count)
      if (count > 0) {
        await files.check()
        await unreferencedFiles.deleteDue(files.delete, run.signal)
      }
      progress.done(count)
      return { orphans_removed: count + (await upkeep.removeOrphanRows()) }
    })

  const verify = (run: TaskRun) =>
    run.step('verify', async (progress) => {
      const mark = await upkeep.readLastVerifiedId()
      let originals = await upkeep.originals(mark, MAX_VERIFIED)
      // After the last file, verification starts over.
      if (originals.length === 0 && mark !== null) originals = await upkeep.originals(null, MAX_VERIFIED)
      progress.total(originals.length)
      let bytes = 0
      let verified = 0
      let verifiedId = mark
      let damaged = 0
      let unreadable = 0
      for (const { id, path, sha256, sizeBytes } of originals) {
        run.signal.throwIfAborted()
        let isRead = true
        try {
          const actualHash = await hashOf(path, run.signal)
          if (actualHash !== sha256) {
            damaged++
            progress.failed(say('file_damaged', { item: id, how: actualHash === null ? 'missing' : 'changed' }))
          }
        } catch (error) {
          run.signal.throwIfAborted()
          if (error instanceof UnavailableError || ++unreadable >= MAX_UNREADABLE) throw error
          isRead = false
          progress.failed(itemFailed(id, error))
        }
        verified++
        bytes += sizeBytes
        progress.done()
        verifiedId = id
        // If all further files are unreadable, too, the next run tries them again.
        if (isRead) await upkeep.storeLastVerifiedId(id)
        if (bytes >= MAX_VERIFIED_BYTES) break
      }
      // A few unreadable files mustn't end every run at the same place.
      const isEnd = verified === originals.length && originals.length < MAX_VERIFIED
      await upkeep.storeLastVerifiedId(isEnd ? null : verifiedId)
      return {
        files_verified: verified - unreadable,
        files_damaged: damaged,
        files_unreadable: unreadable,
        ...(damaged + unreadable > 0 ? { success: false } : {}),
      }
    })

  /** Hexadecimal SHA-256 of a file; null when it's missing. */
  const hashOf = async (path: string, signal: AbortSignal): Promise<string | null> => {
    try {
      return await sha256Of((await files.open(path)).stream, signal)
    } catch (error) {
      if (error instanceof NotFoundError) return null
      throw error
    }
  }

  const measureKnownItems = (run: TaskRun) =>
    run.step('known_items', async ({ total, done }) => {
      const { askedCount, foundCount } = await knownItems.measure(run.scheduledAt, { total, done }, run.signal)
      return { known_items_asked: askedCount, known_items_found: foundCount }
    })

  return {
    schedule: '0 3 * * *',
    timeLimitMs: 4 * 60 * MINUTE_MS,
    async run(run) {
      for (const kind of kinds) await embed(run, kind)
      await retry(run)
      await removeOrphans(run)
      await verify(run)
      await measureKnownItems(run)
    },
  }
}

function itemFailed(item: string, error: unknown): Sentence {
  const message = error instanceof Error ? error.message : String(error)
  const { text, sentences }: Sentence = error instanceof AppError ? sentenceOf(error) : { text: message, sentences: [] }
  return {
    text: `Item ${item}: ${text}`,
    sentences: sentences.length > 0 ? [{ code: 'item_failed', params: { item } }, ...sentences] : [],
  }
}
