import type { DownloadFormat, EffectsGalleryItem, MediaItem, Recipe, RecipeSteps } from '@mira/shared'
import { MEBIBYTE } from '@mira/shared/constants/limits'
import { ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import type { PictureFile, PictureFiles } from '../../../parsers/image/picture-files.ts'
import type { Pixels } from '../../../parsers/image/pixels.ts'
import { type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { PathSigner } from '../../../platform/lib/path-signer.ts'
import type { Semaphore } from '../../../platform/lib/semaphore.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { MediaService } from '../../library/index.ts'
import { picturePath, titleOf } from './catalogue.ts'
import type { EffectImageRow, EffectsStore, RecipeRow } from './effects.store.ts'

export interface MadePicturesDeps {
  store: EffectsStore
  files: Pick<Files, 'useLocal'>
  pixels: Pick<Pixels, 'convert'>
  pictureFiles: PictureFiles
  /** Limits conversions to other formats, which take seconds. */
  semaphore: Semaphore
  signedPaths: PathSigner
  media: Pick<MediaService, 'add' | 'item'>
  queue: Pick<Queue, 'enqueue'>
}

export type MadePicturesService = ReturnType<typeof createMadePictures>

type ConvertedFormat = Exclude<DownloadFormat, 'png'>

const MAX_RECIPES = 200
/** Cache size of converted pictures, since browsers request a file in ranges. */
const CACHE_BYTES = 32 * MEBIBYTE
/** Longest sides that the formats' encoders accept, in pixels. */
const maxSides: Record<ConvertedFormat, number> = { webp: 16_383, avif: 16_384, jpeg: 65_500 }
const pictureGone = () => new NotFoundError('This picture no longer exists.')

/** Service for pictures made with effects and for recipes: list, download, save, delete. */
export function createMadePictures(deps: MadePicturesDeps) {
  const { store, files, pixels, pictureFiles, semaphore, signedPaths, media, queue } = deps

  const find = async (userId: string, id: string): Promise<EffectImageRow> => {
    const row = await store.find(userId, id)
    if (row === null) throw pictureGone()
    return row
  }
  const asPngFile = (row: EffectImageRow, name: string) => ({ ...row, contentType: 'image/png', name })

  /** Oldest first. */
  const cache = new Map<string, Promise<Buffer>>()
  const convert = (row: EffectImageRow, format: ConvertedFormat): Promise<Buffer> => {
    const key = `${row.path} ${format}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const conversion = semaphore.run(() => files.useLocal(row.path, (filename) => pixels.convert(filename, format)))
    cache.set(key, conversion)
    conversion.then(evictOldest, () => cache.delete(key))
    return conversion
  }
  const evictOldest = async () => {
    const all = await Promise.allSettled(cache.values())
    let bytes = all.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value.length : 0), 0)
    for (const [key, conversion] of cache) {
      if (bytes <= CACHE_BYTES) return
      bytes -= (await conversion.catch(() => Buffer.alloc(0))).length
      cache.delete(key)
    }
  }

  return {
    /** Newest first. @throws ValidationError for an invalid cursor. */
    async gallery(
      userId: string,
      query: PageQuery,
    ): Promise<{ images: EffectsGalleryItem[]; next_cursor: string | null }> {
      const { items: rows, nextCursor } = await readPage(query, (limits) => store.list(userId, limits))
      const sources = rows.flatMap(({ sourceMediaId }) => (sourceMediaId === null ? [] : [sourceMediaId]))
      const existing = await store.existingItems(userId, sources)
      const images = rows.map((row) => ({
        effect_name: row.effectName,
        effect_display_name: titleOf(row.recipe),
        file_size_mb: row.sizeBytes / MEBIBYTE,
        created_at: row.createdAt,
        download_id: row.id,
        thumbnail: signedPaths.sign(userId, picturePath(row, 'thumbnail')),
        url: signedPaths.sign(userId, picturePath(row)),
        processed_size: [row.width, row.height] as [number, number],
        intensity: (row.recipe.at(-1) as RecipeSteps[number]).intensity,
        recipe: row.recipe,
        source_filename: row.sourceFilename,
        source_media_id: row.sourceMediaId !== null && existing.has(row.sourceMediaId) ? row.sourceMediaId : null,
        source_frame_number: row.sourceNumber,
      }))
      return { images, next_cursor: nextCursor }
    },

    /** @throws NotFoundError when it isn't the user's. */
    async picture(userId: string, id: string, size: 'original' | 'preview' | 'thumbnail'): Promise<PictureFile> {
      const row = await find(userId, id)
      return pictureFiles.inSize(asPngFile(row, fileNameOf(row, 'png')), size)
    },

    /** The picture in another format. @throws NotFoundError when it isn't the user's; ValidationError when it's too long. */
    async converted(userId: string, id: string, format: ConvertedFormat): Promise<PictureFile> {
      const row = await find(userId, id)
      if (Math.max(row.width, row.height) > maxSides[format]) {
        throw new ValidationError('This picture is too long for this format. Download it as PNG.', {
          code: 'too_long_for_format',
        })
      }
      return {
        etag: `${row.sha256}-${format}`,
        contentType: `image/${format}`,
        name: fileNameOf(row, format === 'jpeg' ? 'jpg' : format),
        open: async () => {
          const data = await convert(row, format)
          return { sizeBytes: data.length, read: async ({ start, end }) => data.subarray(start, end + 1) }
        },
      }
    },

    /** @throws NotFoundError when it isn't the user's. */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw pictureGone()
      await queue.enqueue('delete-files', { loose: true })
    },

    /** Adds a picture to the library as an item that shares its file and outlives it. @throws NotFoundError */
    async addToLibrary(userId: string, id: string): Promise<{ item: MediaItem; isNew: boolean }> {
      const row = await find(userId, id)
      const { sha256, path, sizeBytes, width, height } = row
      const item = { sha256, path, sizeBytes, width, height, originalFilename: fileNameOf(row, 'png') }
      const keptItem = await store.withLockedPicture(userId, id, (tx) =>
        media.add(userId, { mediaType: 'image', contentType: 'image/png', ...item }, tx),
      )
      if (keptItem === null) throw pictureGone()
      return { item: await media.item(userId, keptItem.id), isNew: keptItem.isNew }
    },

    async recipes(userId: string): Promise<Recipe[]> {
      return (await store.recipes(userId)).map(presentRecipe)
    },

    /** Stores a recipe, replacing one of the same name. @throws ConflictError when there are too many. */
    async saveRecipe(userId: string, recipe: { name: string; steps: RecipeSteps }): Promise<Recipe> {
      if ((await store.countOtherRecipes(userId, recipe.name)) >= MAX_RECIPES) {
        throw new ConflictError(`You have ${MAX_RECIPES} recipes. Delete one that you don’t use.`, {
          code: 'too_many_recipes',
        })
      }
      return presentRecipe(await store.saveRecipe(userId, recipe))
    },

    /** @throws NotFoundError when it isn't the user's. */
    async removeRecipe(userId: string, id: string): Promise<void> {
      if (!(await store.removeRecipe(userId, id))) throw new NotFoundError('This recipe no longer exists.')
    },
  }
}

function presentRecipe({ id, name, steps, createdAt }: RecipeRow): Recipe {
  return { id, name, steps, created_at: createdAt }
}

/** Download name with the picture's time in UTC: sepia_effect_20261120-161500.png. */
function fileNameOf({ effectName, createdAt }: EffectImageRow, extension: string): string {
  const [date, time] = createdAt.toISOString().slice(0, 19).split('T')
  return `${effectName}_effect_${date?.replaceAll('-', '')}-${time?.replaceAll(':', '')}.${extension}`
}
