import type { UserEventJson } from '@mira/shared'
import type { ToldFile } from '../../adapters/media-archives/media-archives.ts'
import type { Prisma } from '../../db/generated/client.ts'
import { storable } from '../../lib/storable.ts'
import type { CompletingFacts, ImportedFactsStore, KnownOfItem } from './imported-facts.store.ts'
import type { ImportCounts, ImportRow } from './imports.store.ts'

export interface CompletingDeps {
  store: ImportedFactsStore
  /** Says what an item is, in the transaction that holds it. */
  describeIn(tx: Prisma.TransactionClient, userId: string, itemId: string, description: string): Promise<void>
  /** Takes that back where it stands as it was said. */
  undescribeIn(tx: Prisma.TransactionClient, userId: string, itemId: string, description: string): Promise<void>
  publish(userId: string, event: UserEventJson): void
}

/** An item that is there, and what is told of it. */
export interface ToldItem {
  itemId: string
  told: CompletingFacts
}

export type Completing = ReturnType<typeof createCompleting>

export const DESCRIPTION_MAX_CHARACTERS = 4000
const UNDONE_AT_ONCE = 20
/** What is told of a picture of the same name that was taken at another time is told of another picture. */
const SAME_MOMENT_MS = 26 * 3_600_000

/** What is told of an item and not known; null when that is nothing. */
function missingOf({ takenAt, isPlaced, isDescribed }: KnownOfItem, told: CompletingFacts): CompletingFacts | null {
  const missing = {
    takenAt: takenAt === null ? told.takenAt : null,
    latitude: isPlaced ? null : told.latitude,
    longitude: isPlaced ? null : told.longitude,
    description: isDescribed || told.description === null ? null : shortened(told.description),
  }
  return Object.values(missing).every((value) => value === null) ? null : missing
}

/** What the parts of one export of Google's are called alike, with the moment of it; null for a file of another name. */
const exportOf = (archive: string): string | null => /takeout-\d{8}T\d{6}Z/i.exec(archive)?.[0].toLowerCase() ?? null

export const shortened = (description: string) => storable(description.slice(0, DESCRIPTION_MAX_CHARACTERS))

/** Gives items that are there already what another program tells of them and nobody has said yet. */
export function createCompleting({ store, publish, ...deps }: CompletingDeps) {
  /** Whether something was missing. */
  const completeOne = async (row: ImportRow, { itemId, told }: ToldItem): Promise<boolean> => {
    const isKept = await store.complete(row, itemId, {
      choose: (known) => missingOf(known, told),
      describe: (tx, id, description) => deps.describeIn(tx, row.userId, id, description),
    })
    if (isKept) publish(row.userId, { type: 'media.updated', ids: [itemId] })
    return isKept
  }

  return {
    itemsOf: store.itemsOf,

    /** Counts those of which something is missing, and gives it to them unless they are only counted. */
    async complete(
      row: ImportRow,
      items: ToldItem[],
      { counts, counted }: { counts: ImportCounts; counted: Set<string> },
    ): Promise<void> {
      if (items.length === 0) return
      const known = new Map(
        (
          await store.known(
            row,
            items.map(({ itemId }) => itemId),
          )
        ).map((one) => [one.id, one] as const),
      )
      for (const item of items) {
        const there = known.get(item.itemId)
        if (there === undefined) continue
        const isMissing = missingOf(there, item.told) !== null
        const isCompleted = isMissing && (row.isPreview || (await completeOne(row, item)))
        if (!isCompleted && (row.isPreview || !there.isOwn)) continue
        // a picture is told of in its year, and again in each album
        if (!counted.has(item.itemId)) counts.completed += 1
        counted.add(item.itemId)
      }
    },

    /**
     * Which items are meant by what is told of files that are not there with it: the only one of the name that an import
     * brought out of the same folder. Years and albums have pictures of the same name; one whose folder is not known is
     * none that is meant. Two accounts have folders and names in common, too: a picture without a date, which would tell
     * them apart, is one of the same export.
     */
    async meant(row: ImportRow, files: ToldFile[]): Promise<ToldItem[]> {
      const byName = Map.groupBy(
        await store.named(
          row,
          files.flatMap(({ names }) => names),
          files.map(({ folder }) => folder),
        ),
        ({ name }) => name,
      )
      const ofExport = exportOf(row.name)
      return files.flatMap(({ folder, names, ...told }) => {
        const at = told.takenAt === null ? null : Date.parse(told.takenAt)
        const possible = names
          .flatMap((name) => byName.get(name) ?? [])
          .filter(({ folders }) => folders.includes(folder))
          .filter(({ takenAt, archive }) =>
            at === null || takenAt === null
              ? ofExport !== null && exportOf(archive) === ofExport
              : Math.abs(takenAt.getTime() - at) <= SAME_MOMENT_MS,
          )
        const [only, ...others] = new Set(possible.map(({ id }) => id))
        return only === undefined || others.length > 0 ? [] : [{ itemId: only, told }]
      })
    },

    /** Takes back what an import told, where nobody has changed it since. */
    async undo({ id, userId }: Pick<ImportRow, 'id' | 'userId'>): Promise<void> {
      for (;;) {
        const ids = await store.takeBack(id, UNDONE_AT_ONCE, (tx, itemId, description) =>
          deps.undescribeIn(tx, userId, itemId, description),
        )
        if (ids.length === 0) return
        publish(userId, { type: 'media.updated', ids })
      }
    },
  }
}
