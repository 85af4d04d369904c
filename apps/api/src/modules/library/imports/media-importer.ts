import { rm } from 'node:fs/promises'
import { AppError, isLasting, TooManyRequestsError, UnavailableError } from '../../../errors.ts'
import type { SidecarFacts, SidecarFile } from '../../../parsers/media-archives/media-archives.ts'
import { FILM_OF_PICTURE } from '../../../platform/database/motion-name.ts'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { say } from '../../../sentences.ts'
import type { CorrectionsService } from '../items/corrections.service.ts'
import type { MediaService } from '../items/media.service.ts'
import type { AddedItem } from '../items/media.store.ts'
import type { UploadService } from '../upload/upload.service.ts'
import { type Completing, shortened } from './completing.ts'
import type { ImportedThingsStore } from './imported-things.store.ts'
import { type ImportCounts, type ImportRow, leaveOut } from './imports.store.ts'

/** A file of a source that can become an item, with its metadata. */
export interface SourceItem extends SidecarFacts {
  /** Id at the source. */
  sourceId: string
  name: string
  sizeBytes: number
  /** Folders in the archive. */
  folders?: string[]
  /** Source id of the picture that this film belongs to; the picture comes right before it. */
  filmOf?: string | null
}

/** Source of imported items. */
export interface MediaSource<Item extends SourceItem> {
  items(signal: AbortSignal): AsyncIterable<Item>
  /** Metadata of files that aren't among the items. */
  sidecarFacts?(signal: AbortSignal): AsyncIterable<SidecarFile>
  /** Puts the bytes of some items into files; null for a damaged one. */
  writeFiles(items: Item[], signal: AbortSignal): Promise<(TemporaryFile | null)[]>
}

/** A temporary file, and tags that come with its bytes only. */
interface TemporaryFile {
  filename: string
  tags?: string[]
}

interface MediaImporterDeps {
  store: Pick<ImportedThingsStore, 'known' | 'moving' | 'note'>
  files: Pick<Files, 'receiveFile'>
  uploads: Pick<UploadService, 'admit' | 'accept'>
  media: Pick<MediaService, 'setTold'>
  completing: Pick<Completing, 'complete' | 'itemsOf' | 'meant' | 'favoriteTagOf'>
  corrections: Pick<CorrectionsService, 'describeNewIn'>
}

export type MediaImporter = ReturnType<typeof createMediaImporter>

/** Counts of an import, and the items already counted as completed. */
interface Tally {
  counts: ImportCounts
  counted: Set<string>
}

/** The place is kept: it comes with the rest of the metadata. */
const WISHES = { generate_caption: true, extract_text: true, keep_place: true, wait: 0 }
/** Bounds on a batch: items, or bytes, whichever comes first. */
const MAX_TOGETHER = 20
const SIDECARS_AT_ONCE = 200
const MAX_BYTES_TOGETHER = 64 * 1024 * 1024

/** The item must not be added after all. */
class NotNoted extends Error {
  override name = 'NotNoted'
}

/** Imports files as items with their name, date, place, description and albums, none twice. */
export function createMediaImporter({ store, files, uploads, media, completing, corrections }: MediaImporterDeps) {
  /** Source id of an imported item; for a film derived from its picture's. */
  const nameThere = ({ sourceId, filmOf = null }: SourceItem) => (filmOf === null ? sourceId : filmOf + FILM_OF_PICTURE)

  const alreadyImported = (row: ImportRow, items: SourceItem[]) =>
    store.known({ userId: row.userId, importId: row.id, source: row.source }, items.map(nameThere))

  /**
   * For missing films: true when the picture exists with a film, false without one; undefined when there's no picture.
   */
  const movingOf = async (row: ImportRow, films: SourceItem[]) => {
    const ids = films.map(({ filmOf }) => filmOf ?? '')
    const moving = films.length === 0 ? new Map<string, boolean>() : await store.moving(row, ids)
    return ({ filmOf }: SourceItem) => moving.get(filmOf ?? '')
  }

  /** Adds missing metadata to existing items, even when their files aren't in this import. */
  const completeThere = async (
    row: ImportRow,
    some: SourceItem[],
    existing: ReadonlyMap<string, 'before' | 'now'>,
    tally: Tally,
  ) => {
    const before = some.filter((item) => existing.get(nameThere(item)) === 'before')
    if (before.length === 0) return
    const ids = await completing.itemsOf(row, before.map(nameThere))
    const items = before.flatMap((item) => {
      const itemId = ids.get(nameThere(item))
      return itemId === undefined ? [] : [{ itemId, facts: item }]
    })
    await completing.complete(row, items, tally)
  }

  /** Adds missing metadata from entries without a file. */
  const completeFromSidecars = async (
    row: ImportRow,
    source: Pick<MediaSource<SourceItem>, 'sidecarFacts'>,
    tally: Tally,
    signal: AbortSignal,
  ) => {
    if (source.sidecarFacts === undefined) return
    for await (const some of inGroups(source.sidecarFacts(signal), SIDECARS_AT_ONCE)) {
      signal.throwIfAborted()
      const before = tally.counts.completed
      await completing.complete(row, await completing.meant(row, some), tally)
      const completed = tally.counts.completed - before
      tally.counts.found += completed
      if (!row.isPreview) tally.counts.skipped += completed
    }
  }

  const takeOne = async (
    row: ImportRow,
    item: SourceItem,
    { filename, tags: tagNames = [] }: TemporaryFile,
    tally: Tally,
  ) => {
    const { userId } = row
    const { counts } = tally
    const { name, description, isFavorite, takenAt, takenLocal, latitude, longitude, folders, filmOf = null } = item
    const tags = [...new Set([...item.tags, ...tagNames])]
    const favorite = isFavorite ? [await completing.favoriteTagOf(userId)] : []
    const place = { userId, importId: row.id, source: row.source, sourceId: nameThere(item), folders, filmOf }
    const added = await uploads.admit(userId, item.sizeBytes, async () => {
      const file = await files.receiveFile(filename)
      const alongside = async (sql: SqlTransaction, { id, isNew, isRestored }: AddedItem) => {
        // an item that was there before doesn't belong to this import, and stays when it is undone
        if (!isNew && !isRestored) return
        if (!(await store.note(sql, place, { mediaItemId: id }))) throw new NotNoted()
        // one from the trash is completed below, like one that was there
        if (isRestored) return
        const facts = { takenAt, takenLocal, latitude, longitude }
        await media.setTold(sql, id, { ...facts, tags: [...new Set([...tags, ...favorite])] })
        if (description !== null) await corrections.describeNewIn(sql, userId, id, shortened(description))
      }
      return uploads.accept({ userId, name, file, inAnalytics: false, alongside }, WISHES)
    })
    counts[added.isNew || added.isRestored ? 'imported' : 'skipped'] += 1
    if (!added.isNew) {
      await completing.complete(row, [{ itemId: added.id, facts: { ...item, tags } }], tally)
    }
  }

  const tryOne = async (row: ImportRow, item: SourceItem, file: TemporaryFile, tally: Tally): Promise<void> => {
    try {
      await takeOne(row, item, file, tally)
    } catch (error) {
      if (error instanceof TooManyRequestsError) {
        throw new UnavailableError('Too many files arrive right now.', { retryAfterSeconds: 30, cause: error })
      }
      if (!(error instanceof AppError && isLasting(error))) throw error
      const reason = error.message
      leaveOut(tally.counts, item.name, say('import_picture_refused', { said: reason }))
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

    /** Counts existing items. */
    async count<Item extends SourceItem>(
      row: ImportRow,
      source: MediaSource<Item>,
      counts: ImportCounts,
      signal: AbortSignal,
    ) {
      const tally = { counts, counted: new Set<string>() }
      for await (const some of together(source.items(signal), 200)) {
        const existing = await alreadyImported(row, some)
        const films = some.filter((item) => isFilm(item) && !existing.has(nameThere(item)))
        const moves = await movingOf(row, films)
        counts.skipped += existing.size + films.filter((film) => moves(film)).length
        await completeThere(row, some, existing, tally)
      }
      // items that get metadata aren't skipped
      counts.skipped -= counts.completed
      await completeFromSidecars(row, source, tally, signal)
    },

    /** Imports items; false when cancelled. @param keep stores progress; false when cancelled. */
    async bring<Item extends SourceItem>(
      row: ImportRow,
      source: MediaSource<Item>,
      {
        counts,
        signal,
        keep,
      }: { counts: ImportCounts; signal: AbortSignal; keep: (atOnce?: boolean) => Promise<boolean> },
    ): Promise<boolean> {
      const tally = { counts, counted: new Set<string>() }
      const takeAll = async (items: Item[]): Promise<boolean> => {
        const files = items.length === 0 ? [] : await source.writeFiles(items, signal)
        for (const [at, item] of items.entries()) {
          const file = files[at] ?? null
          if (file === null) {
            leaveOut(counts, item.name, damaged)
            continue
          }
          try {
            await tryOne(row, item, file, tally)
          } catch (error) {
            if (!(error instanceof NotNoted)) throw error
            // another import is adding the same item, unless this one was cancelled
            if (!(await keep(true))) return false
            counts.skipped += 1
          } finally {
            await rm(file.filename, { force: true })
          }
          if (!(await keep())) return false
        }
        return true
      }
      for await (const some of together(source.items(signal), MAX_TOGETHER)) {
        signal.throwIfAborted()
        const existing = await alreadyImported(row, some)
        for (const when of existing.values()) counts[when === 'now' ? 'imported' : 'skipped'] += 1
        await completeThere(row, some, existing, tally)
        const newItems = some.filter((item) => !existing.has(nameThere(item)))
        if (!(await takeAll(newItems.filter((item) => !isFilm(item))))) return false
        const films = newItems.filter(isFilm)
        const moves = await movingOf(row, films)
        // a film without its imported picture isn't imported
        const missing = films.filter((film) => moves(film) === false)
        counts.skipped += films.length - missing.length
        if (!(await takeAll(missing))) return false
      }
      await completeFromSidecars(row, source, tally, signal)
      return keep(true)
    },
  }
}

const isFilm = ({ filmOf = null }: SourceItem) => filmOf !== null
const damaged = say('import_entry_damaged', {})

/** Batches by number and bytes. */
async function* together<Item extends SourceItem>(items: AsyncIterable<Item>, max: number): AsyncGenerator<Item[]> {
  let some: Item[] = []
  let bytes = 0
  for await (const item of items) {
    if (some.length > 0 && (some.length >= max || bytes + item.sizeBytes > MAX_BYTES_TOGETHER)) {
      yield some
      some = []
      bytes = 0
    }
    some.push(item)
    bytes += item.sizeBytes
  }
  if (some.length > 0) yield some
}

async function* inGroups<Item>(items: AsyncIterable<Item>, max: number): AsyncGenerator<Item[]> {
  let some: Item[] = []
  for await (const item of items) {
    some.push(item)
    if (some.length < max) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
