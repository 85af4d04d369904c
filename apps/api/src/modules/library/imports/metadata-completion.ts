import { asLanguage, languages } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { SidecarFacts, SidecarFile } from '../../../parsers/media-archives/media-archives.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import type { CorrectionsService } from '../items/corrections.service.ts'
import { MAX_TAGS, tagsOf } from '../items/media.store.ts'
import type { ImportedMetadataStore, ItemMetadata, MissingMetadata } from './imported-metadata.store.ts'
import type { ImportCounts, ImportRow, ImportsStore } from './imports.store.ts'

interface MetadataCompletionDeps {
  store: ImportedMetadataStore
  imports: Pick<ImportsStore, 'languageOf'>
  corrections: Pick<CorrectionsService, 'changeIn' | 'revertCaptionIn'>
  events: Pick<Events, 'publish'>
}

/** An existing item with metadata from an import. */
interface ItemWithFacts {
  itemId: string
  facts: SidecarFacts
}

export type MetadataCompletion = ReturnType<typeof createMetadataCompletion>

export const DESCRIPTION_MAX_CHARACTERS = 4000
const UNDO_BATCH_SIZE = 20
/** Tag of favourites in every language, so that a user who changed their language gets no second one. */
const favoriteTags = languages.map((language) => textsIn('imports', language)('favorite'))
/** Maximum difference between capture times: metadata that differs more belongs to another picture of the same name. */
const MAX_TIME_DIFFERENCE_MS = 26 * 3_600_000

/** Name with composed accents, as items have; Macs write decomposed accents into archives. */
const normalize = (name: string): string => name.normalize('NFC')

/** Metadata from the import that the item lacks; null when there is none. */
function missingOf(item: ItemMetadata, facts: SidecarFacts, importedTags: string[]): MissingMetadata | null {
  const tagByLabel = new Map(item.tags.map((tag) => [tag.toLowerCase(), tag]))
  const otherImportsTags = new Set(item.otherImportsTags.filter((tag) => !item.ownTags.includes(tag)))
  const missing = {
    takenAt: item.takenAt === null ? facts.takenAt : null,
    takenLocal: item.takenAt === null ? facts.takenLocal : null,
    latitude: item.isPlaced ? null : facts.latitude,
    longitude: item.isPlaced ? null : facts.longitude,
    description: item.isDescribed || facts.description === null ? null : storableDescription(facts.description),
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
const addsMetadata = ({ takenAt, latitude, description, tags }: MissingMetadata) =>
  takenAt !== null || latitude !== null || description !== null || tags.length > 0

/** Common prefix of the archives of one Google export, including its time; null for other file names. */
const googleExportOf = (archive: string): string | null =>
  /takeout-\d{8}T\d{6}Z/i.exec(archive)?.[0].toLowerCase() ?? null

export const storableDescription = (description: string) => storable(cutText(description, DESCRIPTION_MAX_CHARACTERS))

/** Adds metadata from another program that existing items lack. */
export function createMetadataCompletion({ store, imports, corrections, events }: MetadataCompletionDeps) {
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
    const isStored = await store.complete(row, itemId, {
      choose: (item) => {
        const missing = missingIn(item, facts, favoriteTag)
        isCompleted = missing !== null && addsMetadata(missing)
        return missing
      },
      describe: (tx, id, caption) => corrections.changeIn(tx, row.userId, id, { caption }),
    })
    if (isStored && isCompleted) events.publish(row.userId, { type: 'media.updated', ids: [itemId] })
    return isStored && isCompleted
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
          await store.listItemMetadata(
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
     * Matches metadata of files that aren't in the archive with existing items: each with the only item of that name that was
     * imported from the same folder. Different years and albums contain pictures of the same name, so an unknown folder never
     * matches. Two accounts' exports can share folders and names, too. Without a date to distinguish them, the item must come
     * from the same export.
     */
    async matchByName(row: ImportRow, files: SidecarFile[]): Promise<ItemWithFacts[]> {
      const byName = Map.groupBy(
        await store.findByName(
          row,
          files.flatMap(({ names }) => names.map(normalize)),
          files.map(({ folder }) => folder),
        ),
        ({ name }) => name,
      )
      const googleExport = googleExportOf(row.name)
      return files.flatMap(({ folder, names, ...facts }) => {
        const takenMs = facts.takenAt === null ? null : Date.parse(facts.takenAt)
        const candidates = names
          .flatMap((name) => byName.get(normalize(name)) ?? [])
          .filter(({ folders }) => folders.includes(folder))
          .filter(({ takenAt, archive }) =>
            takenMs === null || takenAt === null
              ? googleExport !== null && googleExportOf(archive) === googleExport
              : Math.abs(takenAt.getTime() - takenMs) <= MAX_TIME_DIFFERENCE_MS,
          )
        const [itemId, ...otherIds] = new Set(candidates.map(({ id }) => id))
        return itemId === undefined || otherIds.length > 0 ? [] : [{ itemId, facts }]
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
