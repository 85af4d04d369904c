import { asLanguage, languages } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { SidecarFacts, SidecarFile } from '../../../parsers/media-archives/media-archives.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import type { CorrectionsService } from '../items/corrections.service.ts'
import { MAX_TAGS, tagsOf } from '../items/media.store.ts'
import type { ImportedFactsStore, ItemMetadata, MissingFacts } from './imported-facts.store.ts'
import type { ImportCounts, ImportRow, ImportsStore } from './imports.store.ts'

interface CompletingDeps {
  store: ImportedFactsStore
  imports: Pick<ImportsStore, 'languageOf'>
  corrections: Pick<CorrectionsService, 'changeIn' | 'revertCaptionIn'>
  events: Pick<Events, 'publish'>
}

/** An existing item with metadata from an import. */
interface ItemWithFacts {
  itemId: string
  facts: SidecarFacts
}

export type Completing = ReturnType<typeof createCompleting>

export const DESCRIPTION_MAX_CHARACTERS = 4000
const UNDO_BATCH_SIZE = 20
/** Tag of favourites in every language: a user who changed language gets no second one. */
const favoriteTags = languages.map((language) => textsIn('imports', language)('favorite'))
/** Maximum difference of capture times: metadata for the same file name at another time belongs to another picture. */
const MAX_TIME_DIFFERENCE_MS = 26 * 3_600_000

/** Name with composed accents, like the names of items; Macs write decomposed ones into archives. */
const normalized = (name: string): string => name.normalize('NFC')

/** Metadata from the import that the item lacks; null when there is none. */
function missingOf(item: ItemMetadata, facts: SidecarFacts, importedTags: string[]): MissingFacts | null {
  const tagByLabel = new Map(item.tags.map((tag) => [tag.toLowerCase(), tag]))
  const otherImportsTags = new Set(item.otherImportsTags.filter((tag) => !item.ownTags.includes(tag)))
  const missing = {
    takenAt: item.takenAt === null ? facts.takenAt : null,
    takenLocal: item.takenAt === null ? facts.takenLocal : null,
    latitude: item.isPlaced ? null : facts.latitude,
    longitude: item.isPlaced ? null : facts.longitude,
    description: item.isDescribed || facts.description === null ? null : shortened(facts.description),
    tags: importedTags
      .filter((tag) => !tagByLabel.has(tag.toLowerCase()))
      .slice(0, Math.max(0, MAX_TAGS - item.tags.length)),
    sharedTags: importedTags
      .map((tag) => tagByLabel.get(tag.toLowerCase()) ?? '')
      .filter((tag) => otherImportsTags.has(tag)),
  }
  return addsMetadata(missing) || missing.sharedTags.length > 0 ? missing : null
}

/** True when there is metadata to add, rather than only tags that another import has added. */
const addsMetadata = ({ takenAt, latitude, description, tags }: MissingFacts) =>
  takenAt !== null || latitude !== null || description !== null || tags.length > 0

/** Common prefix of the archives of one Google export, including its time; null for other file names. */
const googleExportOf = (archive: string): string | null =>
  /takeout-\d{8}T\d{6}Z/i.exec(archive)?.[0].toLowerCase() ?? null

export const shortened = (description: string) => storable(cutText(description, DESCRIPTION_MAX_CHARACTERS))

/** Adds metadata from another program that existing items lack. */
export function createCompleting({ store, imports, corrections, events }: CompletingDeps) {
  /** Tag of favourites in the user's language. */
  const favoriteTagOf = async (userId: string): Promise<string> => {
    const language = asLanguage(await imports.languageOf(userId)) ?? 'en'
    return textsIn('imports', language)('favorite')
  }

  /** Metadata from the import that an existing item lacks. */
  const missingIn = (item: ItemMetadata, facts: SidecarFacts, favoriteTag: string) => {
    const favorite = item.tags.find((tag) => favoriteTags.includes(tag)) ?? favoriteTag
    return missingOf(item, facts, tagsOf([...facts.tags, ...(facts.isFavorite ? [favorite] : [])]))
  }

  /** Adds missing metadata. @returns true when something was missing. */
  const completeOne = async (
    row: ImportRow,
    { itemId, facts }: ItemWithFacts,
    favoriteTag: string,
  ): Promise<boolean> => {
    let isCompleted = false
    const isKept = await store.complete(row, itemId, {
      choose: (item) => {
        const missing = missingIn(item, facts, favoriteTag)
        isCompleted = missing !== null && addsMetadata(missing)
        return missing
      },
      describe: (tx, id, caption) => corrections.changeIn(tx, row.userId, id, { caption }),
    })
    if (isKept && isCompleted) events.publish(row.userId, { type: 'media.updated', ids: [itemId] })
    return isKept && isCompleted
  }

  return {
    favoriteTagOf,

    itemsOf: store.itemsOf,

    /** Counts items that lack metadata, and adds it unless the import is a preview. */
    async complete(
      row: ImportRow,
      items: ItemWithFacts[],
      { counts, counted }: { counts: ImportCounts; counted: Set<string> },
    ): Promise<void> {
      if (items.length === 0) return
      const itemsById = new Map(
        (
          await store.findKnown(
            row,
            items.map(({ itemId }) => itemId),
          )
        ).map((item) => [item.id, item] as const),
      )
      const favoriteTag = await favoriteTagOf(row.userId)
      for (const item of items) {
        const existingItem = itemsById.get(item.itemId)
        if (existingItem === undefined) continue
        const missing = missingIn(existingItem, item.facts, favoriteTag)
        const isCompleted =
          missing !== null && (row.isPreview ? addsMetadata(missing) : await completeOne(row, item, favoriteTag))
        if (!isCompleted && (row.isPreview || !existingItem.isOwn)) continue
        // Counted once, though exports list a picture in its year and in each album.
        if (!counted.has(item.itemId)) counts.completed += 1
        counted.add(item.itemId)
      }
    },

    /**
     * Matches metadata of files that aren't in the archive with items: the only item of that name imported from the same
     * folder. Years and albums have pictures of the same name, so an unknown folder never matches. Two accounts can share
     * folders and names, too: without a date to distinguish them, a picture has to come from the same export.
     */
    async matchByName(row: ImportRow, files: SidecarFile[]): Promise<ItemWithFacts[]> {
      const byName = Map.groupBy(
        await store.findByName(
          row,
          files.flatMap(({ names }) => names.map(normalized)),
          files.map(({ folder }) => folder),
        ),
        ({ name }) => name,
      )
      const googleExport = googleExportOf(row.name)
      return files.flatMap(({ folder, names, ...facts }) => {
        const takenMs = facts.takenAt === null ? null : Date.parse(facts.takenAt)
        const candidates = names
          .flatMap((name) => byName.get(normalized(name)) ?? [])
          .filter(({ folders }) => folders.includes(folder))
          .filter(({ takenAt, archive }) =>
            takenMs === null || takenAt === null
              ? googleExport !== null && googleExportOf(archive) === googleExport
              : Math.abs(takenAt.getTime() - takenMs) <= MAX_TIME_DIFFERENCE_MS,
          )
        const [only, ...others] = new Set(candidates.map(({ id }) => id))
        return only === undefined || others.length > 0 ? [] : [{ itemId: only, facts }]
      })
    },

    /** Removes an import's metadata unless it was changed since. */
    async undo({ id, userId }: Pick<ImportRow, 'id' | 'userId'>): Promise<void> {
      for (;;) {
        const ids = await store.revertBatch(id, UNDO_BATCH_SIZE, (tx, itemId, description) =>
          corrections.revertCaptionIn(tx, userId, itemId, description),
        )
        if (ids.length === 0) return
        events.publish(userId, { type: 'media.updated', ids })
      }
    },
  }
}
