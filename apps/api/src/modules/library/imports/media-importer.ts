import { rm } from 'node:fs/promises'
import { AppError, isPermanent, TooManyRequestsError, UnavailableError } from '../../../errors.ts'
import type { SidecarFacts, SidecarFile } from '../../../parsers/media-archives/media-archives.ts'
import { MOTION_VIDEO_SUFFIX } from '../../../platform/database/motion-name.ts'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { CorrectionsService } from '../items/corrections.service.ts'
import type { MediaService } from '../items/media.service.ts'
import type { AddedItem } from '../items/media.store.ts'
import type { UploadService } from '../upload/upload.service.ts'
import type { ImportedObjectsStore } from './imported-objects.store.ts'
import { addImportFailure, type ImportCounts, type ImportRow } from './imports.store.ts'
import { type MetadataCompletion, storableDescription } from './metadata-completion.ts'

/** A file of a source that can become an item, with its metadata. */
export interface SourceItem extends SidecarFacts {
  /** Id in the source. */
  sourceId: string
  name: string
  sizeBytes: number
  /** Folders in the archive. */
  folders?: string[]
  /** Source id of the picture that this video belongs to; the picture comes right before it. */
  motionVideoOf?: string | null
}

/** Source of imported items. */
export interface MediaSource<Item extends SourceItem> {
  items(signal: AbortSignal): AsyncIterable<Item>
  /** Metadata of files that aren't among the items. */
  sidecarFacts?(signal: AbortSignal): AsyncIterable<SidecarFile>
  /** Writes the bytes of items to files. */
  writeFiles(items: Item[], signal: AbortSignal): Promise<(TemporaryFile | MissingFileReason)[]>
}

/** Reason why a source has no bytes of an item. */
type MissingFileReason = 'damaged' | 'unavailable' | 'too_large'

/** A temporary file, with tags that are only known once it's fetched. */
interface TemporaryFile {
  filename: string
  tags?: string[]
}

interface MediaImporterDeps {
  store: Pick<ImportedObjectsStore, 'findImported' | 'findPictures' | 'record'>
  files: Pick<Files, 'receiveFile'>
  uploads: Pick<UploadService, 'admit' | 'accept'>
  media: Pick<MediaService, 'setMetadata'>
  metadataCompletion: Pick<MetadataCompletion, 'complete' | 'itemsOf' | 'matchByName' | 'favoriteTagOf'>
  corrections: Pick<CorrectionsService, 'describeNewIn'>
}

export type MediaImporter = ReturnType<typeof createMediaImporter>

/** Counts of an import, and the items already counted as completed. */
interface ImportTally {
  counts: ImportCounts
  counted: Set<string>
}

/** The location is kept, since it comes with the rest of the metadata. */
const UPLOAD_OPTIONS = { generate_caption: true, extract_text: true, keep_place: true, wait: 0 }
/** A batch ends at this many items or bytes, whichever comes first. */
const MAX_BATCH_ITEMS = 20
const MAX_BATCH_BYTES = 64 * 1024 * 1024
const SIDECAR_BATCH_SIZE = 200

/** Rolls back adding an item that the import couldn't record. */
class NotRecordedError extends Error {
  override name = 'NotRecordedError'
}

/** Imports files as items with their name, date, place, description and albums, each only once. */
export function createMediaImporter({
  store,
  files,
  uploads,
  media,
  metadataCompletion,
  corrections,
}: MediaImporterDeps) {
  /** Source id to store for an item; a live photo's video gets one derived from its picture's id. */
  const storedSourceIdOf = ({ sourceId, motionVideoOf = null }: SourceItem) =>
    motionVideoOf === null ? sourceId : motionVideoOf + MOTION_VIDEO_SUFFIX

  const findImported = (row: ImportRow, items: SourceItem[]) =>
    store.findImported({ userId: row.userId, importId: row.id, source: row.source }, items.map(storedSourceIdOf))

  /**
   * Returns a function that takes a live photo's video: true when its picture already has one, undefined when the picture
   * isn't imported.
   */
  const motionVideoLookup = async (row: ImportRow, motionVideos: SourceItem[]) => {
    const ids = motionVideos.map(({ motionVideoOf }) => motionVideoOf ?? '')
    const pictures = motionVideos.length === 0 ? new Map<string, boolean>() : await store.findPictures(row, ids)
    return ({ motionVideoOf }: SourceItem) => pictures.get(motionVideoOf ?? '')
  }

  /** Adds missing metadata to the items of a batch that were imported before, whose files aren't imported again. */
  const completeExisting = async (
    row: ImportRow,
    batch: SourceItem[],
    existing: ReadonlyMap<string, 'before' | 'now'>,
    tally: ImportTally,
  ) => {
    const importedBefore = batch.filter((item) => existing.get(storedSourceIdOf(item)) === 'before')
    if (importedBefore.length === 0) return
    const ids = await metadataCompletion.itemsOf(row, importedBefore.map(storedSourceIdOf))
    const items = importedBefore.flatMap((item) => {
      const itemId = ids.get(storedSourceIdOf(item))
      return itemId === undefined ? [] : [{ itemId, facts: item }]
    })
    await metadataCompletion.complete(row, items, tally)
  }

  /** Adds metadata of files that aren't among the source's items to existing items that lack it. */
  const completeFromSidecars = async (
    row: ImportRow,
    source: Pick<MediaSource<SourceItem>, 'sidecarFacts'>,
    tally: ImportTally,
    signal: AbortSignal,
  ) => {
    if (source.sidecarFacts === undefined) return
    for await (const batch of batchesOf(source.sidecarFacts(signal), SIDECAR_BATCH_SIZE)) {
      signal.throwIfAborted()
      const before = tally.counts.completed
      await metadataCompletion.complete(row, await metadataCompletion.matchByName(row, batch), tally)
      const completed = tally.counts.completed - before
      tally.counts.found += completed
      if (!row.isPreview) tally.counts.skipped += completed
    }
  }

  const importOne = async (
    row: ImportRow,
    item: SourceItem,
    { filename, tags: tagNames = [] }: TemporaryFile,
    tally: ImportTally,
  ) => {
    const { userId } = row
    const { counts } = tally
    const {
      name,
      description,
      isFavorite,
      takenAt,
      takenLocal,
      latitude,
      longitude,
      folders,
      motionVideoOf = null,
    } = item
    const tags = [...new Set([...item.tags, ...tagNames])]
    const favorite = isFavorite ? [await metadataCompletion.favoriteTagOf(userId)] : []
    const origin = {
      userId,
      importId: row.id,
      source: row.source,
      sourceId: storedSourceIdOf(item),
      folders,
      motionVideoOf,
    }
    const added = await uploads.admit(userId, item.sizeBytes, async () => {
      const file = await files.receiveFile(filename)
      const alongside = async (sql: SqlTransaction, { id, isNew, isRestored }: AddedItem) => {
        // An existing item doesn't belong to this import, and stays when the import is undone.
        if (!isNew && !isRestored) return
        if (!(await store.record(sql, origin, { mediaItemId: id }))) throw new NotRecordedError()
        // An item from the trash is completed below, like an existing one.
        if (isRestored) return
        const facts = { takenAt, takenLocal, latitude, longitude }
        await media.setMetadata(sql, id, { ...facts, tags: [...new Set([...tags, ...favorite])] })
        if (description !== null) await corrections.describeNewIn(sql, userId, id, storableDescription(description))
      }
      return uploads.accept({ userId, name, file, countsInAnalytics: false, alongside }, UPLOAD_OPTIONS)
    })
    counts[added.isNew || added.isRestored ? 'imported' : 'skipped'] += 1
    if (!added.isNew) {
      await metadataCompletion.complete(row, [{ itemId: added.id, facts: { ...item, tags } }], tally)
    }
  }

  const importOrRecordFailure = async (
    row: ImportRow,
    item: SourceItem,
    file: TemporaryFile,
    tally: ImportTally,
  ): Promise<void> => {
    try {
      await importOne(row, item, file, tally)
    } catch (error) {
      if (error instanceof TooManyRequestsError) {
        throw new UnavailableError('Too many files are being received right now.', {
          retryAfterSeconds: 30,
          cause: error,
        })
      }
      if (!(error instanceof AppError && isPermanent(error))) throw error
      const { message: text, sentences } = error
      const reason = sentences.length > 0 ? { text, sentences } : say('import_picture_refused', { said: text })
      addImportFailure(tally.counts, item.name, reason)
    }
  }

  return {
    /** Measures the total size and the range of capture times. */
    async measure<Item extends SourceItem>(source: MediaSource<Item>, counts: ImportCounts, signal: AbortSignal) {
      counts.sizeBytes = 0
      for await (const { sizeBytes, takenAt } of source.items(signal)) {
        counts.sizeBytes += sizeBytes
        if (takenAt === null) continue
        if (counts.earliestAt === null || takenAt < counts.earliestAt) counts.earliestAt = takenAt
        if (counts.latestAt === null || takenAt > counts.latestAt) counts.latestAt = takenAt
      }
    },

    /** Counts, for a preview, the items that exist already and those that would get missing metadata. */
    async count<Item extends SourceItem>(
      row: ImportRow,
      source: MediaSource<Item>,
      counts: ImportCounts,
      signal: AbortSignal,
    ) {
      const tally = { counts, counted: new Set<string>() }
      for await (const batch of batchesBySize(source.items(signal), 200)) {
        const existing = await findImported(row, batch)
        const motionVideos = batch.filter((item) => isMotionVideo(item) && !existing.has(storedSourceIdOf(item)))
        const hasMotionVideo = await motionVideoLookup(row, motionVideos)
        counts.skipped += existing.size + motionVideos.filter((item) => hasMotionVideo(item)).length
        await completeExisting(row, batch, existing, tally)
      }
      // Items that get metadata aren't skipped.
      counts.skipped -= counts.completed
      await completeFromSidecars(row, source, tally, signal)
    },

    /** Imports items; false when cancelled. @param saveProgress returns false when cancelled. */
    async importAll<Item extends SourceItem>(
      row: ImportRow,
      source: MediaSource<Item>,
      {
        counts,
        signal,
        saveProgress,
      }: { counts: ImportCounts; signal: AbortSignal; saveProgress: (isForced?: boolean) => Promise<boolean> },
    ): Promise<boolean> {
      const tally = { counts, counted: new Set<string>() }
      const importBatch = async (items: Item[]): Promise<boolean> => {
        const files = items.length === 0 ? [] : await source.writeFiles(items, signal)
        for (const [index, item] of items.entries()) {
          const file = files[index] ?? 'damaged'
          if (typeof file === 'string') {
            addImportFailure(counts, item.name, missingFileSentences[file])
            continue
          }
          try {
            await importOrRecordFailure(row, item, file, tally)
          } catch (error) {
            if (!(error instanceof NotRecordedError)) throw error
            // Another import is adding the same item, or this import was cancelled.
            if (!(await saveProgress(true))) return false
            counts.skipped += 1
          } finally {
            await rm(file.filename, { force: true })
          }
          if (!(await saveProgress())) return false
        }
        return true
      }
      for await (const batch of batchesBySize(source.items(signal), MAX_BATCH_ITEMS)) {
        signal.throwIfAborted()
        const existing = await findImported(row, batch)
        for (const when of existing.values()) counts[when === 'now' ? 'imported' : 'skipped'] += 1
        await completeExisting(row, batch, existing, tally)
        const newItems = batch.filter((item) => !existing.has(storedSourceIdOf(item)))
        if (!(await importBatch(newItems.filter((item) => !isMotionVideo(item))))) return false
        const motionVideos = newItems.filter(isMotionVideo)
        const hasMotionVideo = await motionVideoLookup(row, motionVideos)
        // Skips videos whose picture isn't imported or already has its video.
        const missing = motionVideos.filter((item) => hasMotionVideo(item) === false)
        counts.skipped += motionVideos.length - missing.length
        if (!(await importBatch(missing))) return false
      }
      await completeFromSidecars(row, source, tally, signal)
      return saveProgress(true)
    },
  }
}

const isMotionVideo = ({ motionVideoOf = null }: SourceItem) => motionVideoOf !== null
const missingFileSentences: Record<MissingFileReason, Sentence> = {
  damaged: say('import_entry_damaged', {}),
  unavailable: say('import_entry_unavailable', {}),
  too_large: say('import_entry_too_large', {}),
}

/** Batches limited by number and bytes. */
async function* batchesBySize<Item extends SourceItem>(
  items: AsyncIterable<Item>,
  max: number,
): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let bytes = 0
  for await (const item of items) {
    if (batch.length > 0 && (batch.length >= max || bytes + item.sizeBytes > MAX_BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += item.sizeBytes
  }
  if (batch.length > 0) yield batch
}

async function* batchesOf<Item>(items: AsyncIterable<Item>, max: number): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < max) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
