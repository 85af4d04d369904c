import type { Readable } from 'node:stream'
import type { PictureSize } from '@mira/shared'
import type { Files } from '../../platform/storage/files.ts'
import type { EncodedImage } from './copies-and-thumbnails.ts'
import type { Images } from './picture-reader.ts'

/** Columns of a stored picture. */
interface StoredPicture {
  name: string
  path: string
  sha256: string
  contentType: string
  sizeBytes: number
}

/** A picture in one of its sizes, opened on demand. */
export interface PictureFile {
  /** Changes with the content. */
  etag: string
  contentType: string
  name: string
  /** Caching rules; undefined when the content at its URL never changes. */
  cacheControl?: string
  /** @throws NotFoundError when the file is gone. */
  open(): Promise<{
    sizeBytes: number
    read(range: { start: number; end: number }): Promise<Readable | Uint8Array>
  }>
}

/** Stored pictures as they are shown and as models see them. */
export interface PictureFiles {
  /** The picture in a size; sizes other than the original are made on demand. */
  inSize(picture: StoredPicture, size: PictureSize): PictureFile
  /** A smaller version of a stored thumbnail, made on demand unless that's small itself; null while too many are being made. */
  smallThumbnail(thumbnail: StoredPicture): PictureFile | null
  /** Version for a model. @throws NotFoundError when the file is gone. */
  versionForModel(path: string): Promise<EncodedImage>
  /** Caches a version for a model, because a conversation shows a picture to its model repeatedly. */
  remember(path: string, image: EncodedImage): void
}

/** Cache size for pictures in the form that models receive. */
const REMEMBERED_BYTES = 32_000_000
/** Size of a tile on a phone whose screen has two pixels for each CSS pixel. */
const SMALL_LONGEST_SIDE = 384
/** Thumbnails up to this size need no smaller version. */
const SMALL_BYTES = 8_000
/** Maximum number of smaller thumbnails made at once: the tiles of a tall window. Further requests get the stored, larger ones. */
const MAX_SMALL_AT_ONCE = 40

const derivedTypes = { preview: 'image/jpeg', thumbnail: 'image/webp' } as const
const derivedExtensions = { preview: 'jpg', thumbnail: 'webp' } as const

/** Picture files in the file store. */
export function createPictureFiles({
  files,
  images,
}: {
  files: Pick<Files, 'open' | 'useLocal'>
  images: Images
}): PictureFiles {
  /** Least recently used first. */
  const remembered = new Map<string, EncodedImage>()
  let rememberedBytes = 0

  const forget = (path: string) => {
    rememberedBytes -= remembered.get(path)?.data.length ?? 0
    remembered.delete(path)
  }
  const remember = (path: string, image: EncodedImage) => {
    forget(path)
    remembered.set(path, image)
    rememberedBytes += image.data.length
    for (const oldest of remembered.keys()) {
      if (rememberedBytes <= REMEMBERED_BYTES) break
      forget(oldest)
    }
  }
  /** Conversions in progress by size and path; concurrent requests share them. */
  const running = new Map<string, Promise<EncodedImage>>()
  const makeOnce = (key: string, make: () => Promise<EncodedImage>) => {
    const encoding = running.get(key) ?? make().finally(() => running.delete(key))
    running.set(key, encoding)
    return encoding
  }
  const versionForModel = async (path: string) => {
    const shrink = () => files.useLocal(path, (filename) => images.shrinkForModel(filename))
    const image = remembered.get(path) ?? (await makeOnce(`preview ${path}`, shrink))
    remember(path, image)
    return image
  }
  const thumbnail = (path: string) => makeOnce(`thumbnail ${path}`, () => files.useLocal(path, images.thumbnail))
  /** Smaller thumbnails in progress. */
  let smallInProgress = 0
  const makeSmall = (path: string) => {
    const make = (filename: string) => images.thumbnail(filename, { longestSide: SMALL_LONGEST_SIDE })
    return makeOnce(`small ${path}`, async () => {
      smallInProgress += 1
      return files.useLocal(path, make).finally(() => {
        smallInProgress -= 1
      })
    })
  }

  const inSize: PictureFiles['inSize'] = (picture, size) => {
    const { name, path, sha256, contentType, sizeBytes } = picture
    if (size === 'original') {
      const open = async () => ({
        sizeBytes,
        read: async (range: { start: number; end: number }) => (await files.open(path, range)).stream,
      })
      return { etag: sha256, contentType, name, open }
    }
    return {
      etag: `${sha256}-${size}`,
      contentType: derivedTypes[size],
      name: `${name.replace(/\.[^.]*$/, '')}.${derivedExtensions[size]}`,
      open: async () => asContent(size === 'preview' ? await versionForModel(path) : await thumbnail(path)),
    }
  }

  return {
    versionForModel,
    remember,
    inSize,

    smallThumbnail(stored) {
      const { name, path, sha256, contentType, sizeBytes } = stored
      if (sizeBytes <= SMALL_BYTES) return inSize(stored, 'original')
      if (smallInProgress >= MAX_SMALL_AT_ONCE) return null
      return { etag: `${sha256}-small`, contentType, name, open: async () => asContent(await makeSmall(path)) }
    },
  }
}

const asContent = ({ data }: EncodedImage): Awaited<ReturnType<PictureFile['open']>> => ({
  sizeBytes: data.length,
  read: async ({ start, end }) => data.subarray(start, end + 1),
})
