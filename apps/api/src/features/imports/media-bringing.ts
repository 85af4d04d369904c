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
  /** Lays the bytes of some beside the file store; where each lies, null for one that is damaged. */
  lay(items: Item[], signal: AbortSignal): Promise<(string | null)[]>
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
  setFacts(sql: SqlTransaction, itemId: string, facts: Omit<ToldFacts, 'description'>): Promise<void>
  addTags(userId: string, itemId: string, tags: string[]): Promise<unknown>
  describe(userId: string, itemId: string, description: string): Promise<unknown>
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

  const takeOne = async (row: ImportRow, item: GivenItem, filename: string, counts: ImportCounts) => {
    const { userId } = row
    const { name, sourceId, description, ...facts } = item
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
          await deps.setFacts(sql, id, facts)
        },
      })
    })
    if (taken.isNew) counts.imported += 1
    else {
      counts.skipped += 1
      if (facts.tags.length > 0) await deps.addTags(userId, taken.id, facts.tags)
    }
    if (taken.isNew && description !== null)
      await deps.describe(userId, taken.id, storable(description).slice(0, DESCRIPTION_MAX_CHARACTERS))
  }

  const tryOne = async (row: ImportRow, item: GivenItem, filename: string, counts: ImportCounts) => {
    try {
      await takeOne(row, item, filename, counts)
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
          const filename = laid[at] ?? null
          if (filename === null) {
            leaveOut(counts, item.name, damaged)
            continue
          }
          try {
            await tryOne(row, item, filename, counts)
          } catch (error) {
            if (!(error instanceof NotNoted)) throw error
            // another import brings the same right now, unless this one was cancelled
            if (!(await keep(true))) return false
            counts.skipped += 1
          } finally {
            await rm(filename, { force: true })
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
