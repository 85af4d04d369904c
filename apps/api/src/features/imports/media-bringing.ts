import { rm } from 'node:fs/promises'
import { say } from '@mira/shared'
import type { ReceivedFile } from '../../adapters/files/files.ts'
import type { ToldFacts } from '../../adapters/media-archives/media-archives.ts'
import type { SqlTransaction } from '../../db/sql.ts'
import { AppError, isLasting, TooManyRequestsError, UnavailableError } from '../../errors.ts'
import { storable } from '../../lib/storable.ts'
import { leaveOut } from './import-failures.ts'
import type { ImportCounts, ImportRow, ImportsStore } from './imports.store.ts'

/** Something that can become an item, as the place says where it comes from. */
export interface GivenItem extends ToldFacts {
  /** What it is known by there. */
  sourceId: string
  name: string
  sizeBytes: number
}

/** Where items come from. */
export interface ItemSource<Item extends GivenItem> {
  items(signal: AbortSignal): AsyncIterable<Item>
  /** Lays the bytes of some beside the file store; null for one that is damaged. */
  lay(items: Item[], signal: AbortSignal): Promise<(LaidFile | null)[]>
}

/** A file beside the file store, and the tags that are told of it only with its bytes. */
export interface LaidFile {
  filename: string
  tags?: string[]
}

export interface MediaBringingDeps {
  store: Pick<ImportsStore, 'known' | 'note'>
  files: { receiveFile(filename: string): Promise<ReceivedFile> }
  uploads: {
    admit<Result>(userId: string, announcedBytes: number, work: () => Promise<Result>): Promise<Result>
    accept(given: {
      userId: string
      name: string
      file: ReceivedFile
      alongside: (sql: SqlTransaction, item: { id: string; isNew: boolean }) => Promise<void>
    }): Promise<{ id: string; isNew: boolean }>
  }
  /** Keeps what is told of a new item, in the transaction that stores it. */
  setFacts(sql: SqlTransaction, itemId: string, facts: Omit<ToldFacts, 'description' | 'isFavorite'>): Promise<void>
  tagsOf(userId: string, itemId: string): Promise<string[]>
  addTags(userId: string, itemId: string, tags: string[]): Promise<unknown>
  describe(userId: string, itemId: string, description: string): Promise<unknown>
  /** What favourites are tagged with, in the language of a person. */
  favoriteTag(userId: string): Promise<string>
  /** The same in every language: who changed theirs is not given a second one. */
  favoriteTags: readonly string[]
}

/** Read together: so many, or so many bytes, whichever comes first. */
const MOST_TOGETHER = 20
const DESCRIPTION_MAX_CHARACTERS = 4000
const MOST_BYTES_TOGETHER = 64 * 1024 * 1024

/** An item that is not to be added after all. */
class NotNoted extends Error {
  override name = 'NotNoted'
}

/** Makes items of what comes from elsewhere, each with its name, date, place, description and albums; none twice. */
export function createMediaBringing(deps: MediaBringingDeps) {
  const { store } = deps

  const known = (row: ImportRow, items: GivenItem[]) =>
    store.known(
      { userId: row.userId, importId: row.id, source: row.source },
      items.map(({ sourceId }) => sourceId),
    )

  const tagKnown = async (
    userId: string,
    id: string,
    { tags, isFavorite }: { tags: string[]; isFavorite: boolean },
  ) => {
    const there = isFavorite ? await deps.tagsOf(userId, id) : []
    const isTagged = there.some((tag) => deps.favoriteTags.includes(tag))
    const added = isFavorite && !isTagged ? [...tags, await deps.favoriteTag(userId)] : tags
    if (added.length > 0) await deps.addTags(userId, id, added)
  }

  const takeOne = async (
    row: ImportRow,
    item: GivenItem,
    { filename, tags: told = [] }: LaidFile,
    counts: ImportCounts,
  ) => {
    const { userId } = row
    const { name, sourceId, description, isFavorite, takenAt, latitude, longitude } = item
    const tags = [...new Set([...item.tags, ...told])]
    const favorite = isFavorite ? [await deps.favoriteTag(userId)] : []
    const place = { userId, importId: row.id, source: row.source, sourceId }
    const taken = await deps.uploads.admit(userId, item.sizeBytes, async () => {
      const file = await deps.files.receiveFile(filename)
      return deps.uploads.accept({
        userId,
        name,
        file,
        alongside: async (sql, { id, isNew }) => {
          // what the person had before is not of this import, and stays when it is undone
          if (!isNew) return
          if (!(await store.note(sql, place, { mediaItemId: id }))) throw new NotNoted()
          await deps.setFacts(sql, id, { takenAt, latitude, longitude, tags: [...new Set([...tags, ...favorite])] })
        },
      })
    })
    if (taken.isNew) counts.imported += 1
    else {
      counts.skipped += 1
      await tagKnown(userId, taken.id, { tags, isFavorite })
    }
    if (taken.isNew && description !== null)
      await deps.describe(userId, taken.id, storable(description).slice(0, DESCRIPTION_MAX_CHARACTERS))
  }

  const tryOne = async (row: ImportRow, item: GivenItem, file: LaidFile, counts: ImportCounts) => {
    try {
      await takeOne(row, item, file, counts)
    } catch (error) {
      if (error instanceof TooManyRequestsError) {
        throw new UnavailableError('Too many files arrive right now.', { retryAfterSeconds: 30, cause: error })
      }
      if (!(error instanceof AppError && isLasting(error))) throw error
      const said = error.message
      leaveOut(counts, item.name, say('import_picture_refused', { said }, `It was left out: ${said}`))
    }
  }

  return {
    /** How large all of them are, and when the first and the last were taken. */
    async measure<Item extends GivenItem>(source: ItemSource<Item>, counts: ImportCounts, signal: AbortSignal) {
      counts.sizeBytes = 0
      for await (const { sizeBytes, takenAt } of source.items(signal)) {
        counts.sizeBytes += sizeBytes
        if (takenAt === null) continue
        if (counts.earliestAt === null || takenAt < counts.earliestAt) counts.earliestAt = takenAt
        if (counts.latestAt === null || takenAt > counts.latestAt) counts.latestAt = takenAt
      }
    },

    /** How many are there already. */
    async count<Item extends GivenItem>(
      row: ImportRow,
      source: ItemSource<Item>,
      counts: ImportCounts,
      signal: AbortSignal,
    ) {
      for await (const some of together(source.items(signal), 200)) counts.skipped += (await known(row, some)).size
    },

    /** False when it was cancelled meanwhile. @param keep called as it gets on; false when it was cancelled. */
    async bring<Item extends GivenItem>(
      row: ImportRow,
      source: ItemSource<Item>,
      {
        counts,
        signal,
        keep,
      }: { counts: ImportCounts; signal: AbortSignal; keep: (atOnce?: boolean) => Promise<boolean> },
    ): Promise<boolean> {
      for await (const some of together(source.items(signal), MOST_TOGETHER)) {
        signal.throwIfAborted()
        const there = await known(row, some)
        for (const when of there.values()) counts[when === 'now' ? 'imported' : 'skipped'] += 1
        const wanted = some.filter(({ sourceId }) => !there.has(sourceId))
        const laid = wanted.length === 0 ? [] : await source.lay(wanted, signal)
        for (const [at, item] of wanted.entries()) {
          const file = laid[at] ?? null
          if (file === null) {
            leaveOut(counts, item.name, damaged)
            continue
          }
          try {
            await tryOne(row, item, file, counts)
          } catch (error) {
            if (!(error instanceof NotNoted)) throw error
            // another import brings the same right now, unless this one was cancelled
            if (!(await keep(true))) return false
            counts.skipped += 1
          } finally {
            await rm(file.filename, { force: true })
          }
          if (!(await keep())) return false
        }
      }
      return true
    },
  }
}

const damaged = say('import_entry_damaged', {}, 'It is damaged there.')

/** Some at a time, and not too many bytes of them. */
async function* together<Item extends GivenItem>(items: AsyncIterable<Item>, most: number): AsyncGenerator<Item[]> {
  let some: Item[] = []
  let bytes = 0
  for await (const item of items) {
    if (some.length > 0 && (some.length >= most || bytes + item.sizeBytes > MOST_BYTES_TOGETHER)) {
      yield some
      some = []
      bytes = 0
    }
    some.push(item)
    bytes += item.sizeBytes
  }
  if (some.length > 0) yield some
}
