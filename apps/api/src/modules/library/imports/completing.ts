import { asLanguage, languages } from '@mira/shared'
import type { SidecarFacts, SidecarFile } from '../../../parsers/media-archives/media-archives.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import type { CorrectionsService } from '../items/corrections.service.ts'
import { MAX_TAGS, tagsOf } from '../items/media.store.ts'
import type { ImportedFactsStore, KnownOfItem, MissingFacts } from './imported-facts.store.ts'
import type { ImportCounts, ImportRow, ImportsStore } from './imports.store.ts'

interface CompletingDeps {
  store: ImportedFactsStore
  imports: Pick<ImportsStore, 'languageOf'>
  corrections: Pick<CorrectionsService, 'changeIn' | 'takeBackCaptionIn'>
  events: Pick<Events, 'publish'>
}

/** An existing item with metadata from an import. */
interface ItemWithFacts {
  itemId: string
  facts: SidecarFacts
}

export type Completing = ReturnType<typeof createCompleting>

export const DESCRIPTION_MAX_CHARACTERS = 4000
const UNDONE_AT_ONCE = 20
/** Tag of favourites in every language: a user who changed theirs gets no second one. */
const favoriteTags = languages.map((language) => textsIn('imports', language)('favorite'))
/** Maximum difference of capture times: metadata for the same file name at another time belongs to another picture. */
const SAME_MOMENT_MS = 26 * 3_600_000

/** A name as items have it: Macs write accents into archives as letters of their own. */
const inOneForm = (name: string): string => name.normalize('NFC')

/** Metadata from the import that the item lacks; null when there is none. */
function missingOf(item: KnownOfItem, facts: SidecarFacts, importedTags: string[]): MissingFacts | null {
  const tagByLabel = new Map(item.tags.map((tag) => [tag.toLowerCase(), tag]))
  const ofOthers = new Set(item.tagsOfOthers.filter((tag) => !item.ownTags.includes(tag)))
  const missing = {
    takenAt: item.takenAt === null ? facts.takenAt : null,
    takenLocal: item.takenAt === null ? facts.takenLocal : null,
    latitude: item.isPlaced ? null : facts.latitude,
    longitude: item.isPlaced ? null : facts.longitude,
    description: item.isDescribed || facts.description === null ? null : shortened(facts.description),
    tags: importedTags
      .filter((tag) => !tagByLabel.has(tag.toLowerCase()))
      .slice(0, Math.max(0, MAX_TAGS - item.tags.length)),
    sharedTags: importedTags.map((tag) => tagByLabel.get(tag.toLowerCase()) ?? '').filter((tag) => ofOthers.has(tag)),
  }
  return isSomething(missing) || missing.sharedTags.length > 0 ? missing : null
}

/** True when it adds more than other imports did. */
const isSomething = ({ takenAt, latitude, description, tags }: MissingFacts) =>
  takenAt !== null || latitude !== null || description !== null || tags.length > 0

/** Common prefix of the parts of one Google export, including its time; null for a file of another name. */
const exportOf = (archive: string): string | null => /takeout-\d{8}T\d{6}Z/i.exec(archive)?.[0].toLowerCase() ?? null

export const shortened = (description: string) => storable(description.slice(0, DESCRIPTION_MAX_CHARACTERS))

/** Adds metadata from another program that existing items lack. */
export function createCompleting({ store, imports, corrections, events }: CompletingDeps) {
  /** Tag of favourites in the user's language. */
  const favoriteTagOf = async (userId: string): Promise<string> => {
    const language = asLanguage(await imports.languageOf(userId)) ?? 'en'
    return textsIn('imports', language)('favorite')
  }

  /** Metadata from the import that an existing item lacks. */
  const missingIn = (item: KnownOfItem, facts: SidecarFacts, favoriteTag: string) => {
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
        isCompleted = missing !== null && isSomething(missing)
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
          await store.known(
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
          missing !== null && (row.isPreview ? isSomething(missing) : await completeOne(row, item, favoriteTag))
        if (!isCompleted && (row.isPreview || !existingItem.isOwn)) continue
        // exports list a picture in its year and in each album
        if (!counted.has(item.itemId)) counts.completed += 1
        counted.add(item.itemId)
      }
    },

    /**
     * Matches metadata of files that aren't in the archive with items: the only item of that name which an import
     * brought
     * from the same folder. Years and albums have pictures of the same name, so one whose folder is unknown never
     * matches. Two
     * accounts have folders and names in common, too: a picture without a date, which would distinguish them, has to
     * come from
     * the same export.
     */
    async meant(row: ImportRow, files: SidecarFile[]): Promise<ItemWithFacts[]> {
      const byName = Map.groupBy(
        await store.named(
          row,
          files.flatMap(({ names }) => names.map(inOneForm)),
          files.map(({ folder }) => folder),
        ),
        ({ name }) => name,
      )
      const ofExport = exportOf(row.name)
      return files.flatMap(({ folder, names, ...facts }) => {
        const at = facts.takenAt === null ? null : Date.parse(facts.takenAt)
        const possible = names
          .flatMap((name) => byName.get(inOneForm(name)) ?? [])
          .filter(({ folders }) => folders.includes(folder))
          .filter(({ takenAt, archive }) =>
            at === null || takenAt === null
              ? ofExport !== null && exportOf(archive) === ofExport
              : Math.abs(takenAt.getTime() - at) <= SAME_MOMENT_MS,
          )
        const [only, ...others] = new Set(possible.map(({ id }) => id))
        return only === undefined || others.length > 0 ? [] : [{ itemId: only, facts }]
      })
    },

    /** Removes metadata of an import that wasn't changed since. */
    async undo({ id, userId }: Pick<ImportRow, 'id' | 'userId'>): Promise<void> {
      for (;;) {
        const ids = await store.takeBack(id, UNDONE_AT_ONCE, (tx, itemId, description) =>
          corrections.takeBackCaptionIn(tx, userId, itemId, description),
        )
        if (ids.length === 0) return
        events.publish(userId, { type: 'media.updated', ids })
      }
    },
  }
}
