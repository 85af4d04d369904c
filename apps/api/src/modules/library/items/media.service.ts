import {
  type Library,
  type LibraryQuery,
  type MediaDetail,
  type MediaItem,
  type MediaSort,
  type MediaStats,
  mediaSorts,
  type PictureSize,
  type ProcessingStepName,
} from '@mira/shared'
import { z } from 'zod'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { PictureFile, PictureFiles } from '../../../parsers/image/picture-files.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Transaction } from '../../../platform/database/sql.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { foreignCursor, readCursor, writeCursor } from '../../../platform/lib/page.ts'
import { trashTimes } from '../../../platform/lib/trash-times.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import { findDetail, readPart } from './detail.store.ts'
import type { ItemSelection, LibraryPosition, LibraryStore, ShownCopy, ShownItem } from './library.store.ts'
import { type AddedItem, MAX_TAGS, type MediaStore, type NewMediaItem } from './media.store.ts'
import { isDone, isPlayable, isShownAsOriginal, presentItem, type SignPath } from './present.ts'
import { presentDetail } from './present-detail.ts'
import type { TagSuggestionsService } from './tag-suggestions.service.ts'

/** Maximum number of ids in one event. */
const MAX_EVENT_IDS = 150

/** Publishes that items have changed, or were deleted, to the user's pages. */
export function publishItems(events: Events, userId: string, ids: string[], deleted = false): void {
  for (let start = 0; start < ids.length; start += MAX_EVENT_IDS) {
    events.publish(userId, { type: 'media.updated', ids: ids.slice(start, start + MAX_EVENT_IDS), deleted })
  }
}

const localTimeSchema = z
  .string()
  .regex(/^(?:-infinity|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)$/)
  .refine((key) => key === '-infinity' || isTime(key.slice(0, 19)))
/** With an offset from UTC, as set on the database server. */
const timestampSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?$/)
  .refine((key) => isTime(key.slice(0, 19)))
/** Format of each sort key in the database. */
const keySchemas: Record<MediaSort, z.ZodType<string>> = {
  newest: localTimeSchema,
  oldest: localTimeSchema,
  taken: localTimeSchema,
  added: timestampSchema,
  name: z.string().max(1000),
  largest: z.string().regex(/^\d{1,18}$/),
  longest: z.string().regex(/^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/),
}
const positionSchema = z.tuple([z.enum(mediaSorts), z.string(), z.uuid()])

/** Opaque cursor of a position in the list. */
function writeLibraryCursor(sort: MediaSort, { key, id }: LibraryPosition): string {
  return writeCursor([sort, key, id])
}

/** Start of the requested page; null for the first. @throws ValidationError */
function readLibraryCursor({ cursor, sort }: Pick<LibraryQuery, 'cursor' | 'sort'>): LibraryPosition | null {
  if (cursor === undefined) return null
  const [cursorSort, key, id] = readCursor(cursor, positionSchema)
  if (cursorSort !== sort || !keySchemas[sort].safeParse(key).success || key.includes('\0')) throw foreignCursor()
  return { key, id }
}

/** False for impossible times, which the database would reject. */
function isTime(text: string): boolean {
  const iso = text.replace(' ', 'T')
  const time = new Date(`${iso}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso)
}

interface MediaDeps {
  store: MediaStore
  library: LibraryStore
  database: Database
  tagSuggestions: TagSuggestionsService
  pictureFiles: PictureFiles
  processing: ProcessingService
  settings: SettingsReader
  signPath: SignPath
  queue: Queue
  events: Events
}

type StoredCopy = Pick<ShownCopy, 'path' | 'contentType' | 'sizeBytes'>

export type MediaService = ReturnType<typeof createMediaService>

const itemGone = () => new NotFoundError('This item no longer exists.')
const fileGone = () => new NotFoundError('This file no longer exists.')

/** The user's library. */
export function createMediaService(deps: MediaDeps) {
  const { store, library, database, tagSuggestions, pictureFiles, processing, settings, signPath, queue, events } = deps

  const find = async (userId: string, id: string): Promise<ShownItem> => {
    const item = await library.show(userId, id)
    if (item === null) throw itemGone()
    return item
  }

  /** Items as in the contract; waiting ones with their position in the queue. */
  const present = async (userId: string, items: ShownItem[]): Promise<MediaItem[]> => {
    const openIds = items.filter(({ processingStatus }) => !isDone(processingStatus)).map(({ id }) => id)
    const positions = openIds.length > 0 ? await processing.queuePositions(userId, openIds) : new Map<string, number>()
    return items.map((item) => ({
      ...presentItem(item, signPath, positions.get(item.id)),
      ...trashTimes(item.trashedAt, settings.current().retention.trash_days),
    }))
  }

  const item = async (userId: string, id: string): Promise<MediaItem> => {
    const [presented] = await present(userId, [await find(userId, id)])
    if (presented === undefined) throw itemGone()
    return presented
  }

  /** A file that's sent as stored. The last part of its path is the hash of its content. */
  const asStored = (file: StoredCopy, name: string): PictureFile =>
    pictureFiles.inSize({ ...file, name, sha256: hashOf(file.path) }, 'original')

  return {
    item,

    /**
     * Adds an item and its processing in the caller's transaction; returns the existing item when the user already has the
     * content.
     */
    async add(userId: string, input: NewMediaItem, tx: Transaction): Promise<AddedItem> {
      const added = await store.add(userId, input, tx)
      // Processing of a restored item continues.
      if (added.isNew || added.isRestored) await processing.begin(tx, { itemId: added.id, userId })
      return added
    },

    /** A page of the library, or of a selection, with shortened texts. @throws BadRequestError for an invalid cursor. */
    async list(userId: string, query: LibraryQuery, selection?: ItemSelection): Promise<Library> {
      const { items, next, total } = await library.list(userId, query, readLibraryCursor(query), selection)
      return {
        media_items: await present(userId, items),
        next_cursor: next && writeLibraryCursor(query.sort, next),
        total,
      }
    },

    /** An item with the results of all steps. @throws NotFoundError */
    async detail(userId: string, id: string): Promise<MediaDetail> {
      const item = await find(userId, id)
      const suggestedTags = await tagSuggestions.suggest(userId, item)
      // `id` may be that of a video that was merged into a live photo, so `item.id` is used from here on.
      const positions = isDone(item.processingStatus) ? null : await processing.queuePositions(userId, [item.id])
      const detail = presentItem(item, signPath, positions?.get(item.id))
      return presentDetail(detail, await findDetail(database, userId, item.id), suggestedTags, (file) =>
        signPath(userId, `/api/media/${item.id}/${file}`),
      )
    },

    /** @throws NotFoundError when the item isn't the user's, or has no such size. */
    async file(userId: string, id: string, size: PictureSize): Promise<PictureFile> {
      // Items in the trash only show thumbnails.
      const findTrashed = size === 'thumbnail' ? () => library.outlineTrashed(userId, id) : () => null
      const item = (await library.outline(userId, id)) ?? (await findTrashed())
      if (item === null) throw fileGone()
      const { originalFilename: name } = item
      // The content at a note's URL can change.
      const cacheOptions = item.sourceKind === 'note' ? { cacheControl: 'private, no-cache' } : {}
      const copy = item.copies.find(({ kind }) => kind === size)
      if (copy !== undefined) return { ...asStored(copy, withExtensionOf(name, copy.contentType)), ...cacheOptions }
      if (size === 'preview' && isShownAsOriginal(item)) return pictureFiles.inSize({ ...item, name }, 'original')
      const isAvailable = size === 'original' || item.mediaType === 'image' || (size === 'preview' && isPlayable(item))
      if (!isAvailable) throw fileGone()
      return {
        ...pictureFiles.inSize({ ...item, name }, item.mediaType === 'image' ? size : 'original'),
        ...cacheOptions,
      }
    },

    /**
     * A smaller thumbnail; the regular one while too many small ones are being made.
     * @throws NotFoundError
     */
    async smallThumbnail(userId: string, id: string): Promise<PictureFile> {
      const item = await library.outline(userId, id)
      const copy = item?.copies.find(({ kind }) => kind === 'thumbnail')
      if (!item || copy === undefined) return this.file(userId, id, 'thumbnail')
      const name = withExtensionOf(item.originalFilename, copy.contentType)
      const small = pictureFiles.smallThumbnail({ ...copy, name, sha256: hashOf(copy.path) })
      return small ?? { ...asStored(copy, name), cacheControl: 'private, no-cache' }
    },

    /** The video taken with a picture, as a playable copy or the original. @throws NotFoundError */
    async motion(userId: string, id: string, fileKind: 'motion' | 'film'): Promise<PictureFile> {
      const item = await library.outline(userId, id)
      const kinds = fileKind === 'motion' ? ['motion_preview', 'motion'] : ['motion']
      const copy = kinds
        .map((kind) => item?.copies.find((copy) => copy.kind === kind))
        .find((candidate) => candidate !== undefined)
      if (item?.mediaType !== 'image' || copy === undefined) throw fileGone()
      return asStored(copy, withExtensionOf(item.originalFilename, copy.contentType))
    },

    /** Thumbnail of a frame or page. @throws NotFoundError */
    async part(userId: string, id: string, kind: 'frame' | 'page', number: number): Promise<PictureFile> {
      const part = await readPart(database, userId, id, kind, number)
      if (part === null) throw fileGone()
      return asStored({ ...part, contentType: 'image/webp' }, `${kind}-${number}.webp`)
    },

    /** Deletes items permanently with their files, with `section` only those in the trash. Ignores other users' items. */
    async remove(userId: string, ids: string[], section?: 'trash'): Promise<number> {
      const deleted = await store.remove(userId, ids, section)
      processing.cancel(deleted)
      if (deleted.length > 0) await queue.enqueue('delete-files', { loose: true })
      publishItems(events, userId, deleted, true)
      return deleted.length
    },

    /** Adds and removes tags. @returns the number of changed items. @throws ConflictError when an item would have too many. */
    async tag(userId: string, ids: string[], changes: { add: string[]; remove: string[] }): Promise<number> {
      const changed = await store.tag(userId, ids, changes)
      if (changed === 'too-many-tags') {
        throw new ConflictError(`An item has at most ${MAX_TAGS} tags. Remove some first.`, {
          code: 'item_too_many_tags',
        })
      }
      publishItems(events, userId, changed)
      return changed.length
    },

    /** Stores metadata from an item's source, in the caller's transaction. */
    setMetadata: store.setMetadata,

    tags: (userId: string) => library.tags(userId),

    /** The user's items with one of these hashes. */
    findByHashes: (userId: string, hashes: string[]) => store.findByHashes(userId, hashes),

    /** Repeats steps, by default all. @throws NotFoundError; ValidationError when items of its type have no such step. */
    async reprocess(userId: string, id: string, steps?: ProcessingStepName[]): Promise<MediaItem> {
      await processing.reprocess(userId, id, steps)
      publishItems(events, userId, [id])
      return item(userId, id)
    },

    async stats(userId: string): Promise<MediaStats> {
      const { byType, totalBytes, processing: processingCount, failed } = await store.totals(userId)
      const total = byType.image + byType.video + byType.audio + byType.document
      return { total_items: total, by_type: byType, total_bytes: totalBytes, processing: processingCount, failed }
    },

    /** Counts and bytes by media type. */
    sizes: (userId: string, selection: ItemSelection = {}) => store.sizes(userId, selection),

    /** Number of items in total, of the last 7 days, and of the 7 days before. */
    count: (userId: string) => store.countByPeriod(userId),
  }
}

const extensions: Record<string, string> = {
  'image/webp': 'webp',
  'image/jpeg': 'jpg',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
}

const hashOf = (path: string) => path.split('/').at(-1) ?? ''

/** Name of the original with the copy's extension. */
function withExtensionOf(name: string, contentType: string): string {
  const extension = extensions[contentType]
  return extension === undefined ? name : `${name.replace(/\.[^.]*$/, '')}.${extension}`
}
