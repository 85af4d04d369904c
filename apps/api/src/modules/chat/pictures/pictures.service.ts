import { setImmediate as nextTurn } from 'node:timers/promises'
import { IMAGE_MAX_BYTES, isShownAsCopy, MESSAGE_MAX_IMAGES, type MediaItem, type PictureSize } from '@mira/shared'
import { ForbiddenError, NotFoundError, PayloadTooLargeError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { PictureFile, PictureFiles } from '../../../parsers/image/picture-files.ts'
import type { Images } from '../../../parsers/image/picture-reader.ts'
import type { Queryable } from '../../../platform/database/client.ts'
import type { UnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { Semaphore } from '../../../platform/lib/semaphore.ts'
import { titleFileName } from '../../../platform/lib/title-file-name.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { RequireSpace } from '../../../platform/storage/require-space.ts'
import type { CorrectionsService, MediaService } from '../../library/index.ts'
import type { Links } from '../conversations/links.ts'
import type { AcceptedPicture, PictureRow, PicturesStore } from './pictures.store.ts'

/** A picture of a message, for display. */
export interface PresentedPicture {
  /** Signed path of a version that every browser can show. */
  url: string
  name: string
  /** Signed path of the thumbnail. */
  thumbnail: string
  /** In pixels, upright. */
  width: number
  height: number
}

interface PicturesDeps {
  store: PicturesStore
  files: Files
  unreferencedFiles: UnreferencedFiles
  images: Images
  pictureFiles: PictureFiles
  requireSpace: RequireSpace
  /** Limits the number of messages whose pictures are stored at the same time. */
  semaphore: Semaphore
  links: Links
  media: MediaService
  corrections: CorrectionsService
  log: Log
}

export type PicturesService = ReturnType<typeof createPicturesService>

const MEGABYTE = 1024 * 1024
/** Bytes encoded by one character of base64. */
const BYTES_PER_CHARACTER = 3 / 4
/** Anything longer isn't the prefix of a data URL. */
const DATA_PREFIX_CHARACTERS = 200

const noPicture = () => new NotFoundError('This picture no longer exists.')

/** Pictures in messages: accepting, storing and showing them to users and models, and saving them to the library. */
export function createPicturesService(deps: PicturesDeps) {
  const { store, files, unreferencedFiles, images, pictureFiles, links, semaphore, media } = deps

  const accept = async (
    userId: string,
    content: Buffer<ArrayBuffer>,
    { title, name }: { title: string; name?: string },
  ): Promise<AcceptedPicture> => {
    // Each picture takes milliseconds to decode, so other work gets a turn in between.
    await nextTurn()
    const { contentType, extension, width, height } = await images.readImage(content, { label: title })
    // Only a completely decodable picture is accepted.
    const shrunk = await images.shrinkForModel(content, { label: title })
    const sha256 = await hash(content)
    const path = files.pathOf(userId, sha256)
    const reservationId = await unreferencedFiles.reserve(path)
    await files.put(userId, content)
    pictureFiles.remember(path, shrunk)
    return {
      name: name ?? `${title.toLowerCase().replace(' ', '-')}.${extension}`,
      path,
      sha256,
      contentType,
      sizeBytes: content.length,
      width,
      height,
      reservationId,
    }
  }

  const find = async (userId: string, messageId: string, position: number): Promise<PictureRow> => {
    const picture = await store.find(userId, messageId, position)
    if (picture === null) throw noPicture()
    return picture
  }

  const present = (userId: string, { messageId, position, name, width, height, contentType }: PictureRow) => {
    const path = `/api/chat/messages/${messageId}/images/${position}`
    // Browsers can show a BMP, so it's shown as it is.
    const shownPath = isShownAsCopy(contentType) && contentType !== 'image/bmp' ? `${path}?size=preview` : path
    return {
      url: links.signPath(userId, shownPath),
      name,
      thumbnail: links.signPath(userId, `${path}?size=thumbnail`),
      width,
      height,
    }
  }

  return {
    /**
     * Checks pictures by their content and stores them. Unless a message attaches them while they're reserved
     * (`RESERVATION_MINUTES`), their files are deleted.
     * @param encoded base64, with or without the prefix of a data URL, whose declared type is ignored
     * @throws ValidationError when there are too many, or one is empty or damaged; PayloadTooLargeError; UnsupportedTypeError
     *   when one isn't a picture; StorageFullError. Each error names the picture. UnavailableError when too many messages with
     *   pictures are waiting.
     */
    async acceptPictures(userId: string, encoded: string[]): Promise<AcceptedPicture[]> {
      requireFewPictures(encoded)
      if (encoded.length === 0) return []
      await deps.requireSpace(
        userId,
        encoded.reduce((sum, image) => sum + image.length * BYTES_PER_CHARACTER, 0),
      )
      return semaphore.run(async () => {
        const accepted: AcceptedPicture[] = []
        // One at a time: five large ones together would take a gigabyte.
        for (const [position, image] of encoded.entries()) {
          const title = `Picture ${position + 1}`
          accepted.push(await accept(userId, decodePicture(image, title), { title }))
        }
        return accepted
      })
    },

    /**
     * Checks and stores a picture of an imported conversation.
     * @throws the same errors as acceptPictures
     */
    async acceptContent(userId: string, name: string, content: Buffer<ArrayBuffer>): Promise<AcceptedPicture> {
      await deps.requireSpace(userId, content.length)
      return accept(userId, content, { title: 'This picture', name })
    },

    /** Adds a picture that a model drew to the running answer. @throws the same errors as acceptContent */
    async addDrawn(
      userId: string,
      messageId: string,
      { prompt, content }: { prompt: string; content: Buffer<ArrayBuffer> },
    ) {
      await deps.requireSpace(userId, content.length)
      const accepted = await semaphore.run(() => accept(userId, content, { title: 'The drawn picture' }))
      const extension = accepted.name.split('.').at(-1) ?? 'png'
      await store.add(messageId, { ...accepted, name: titleFileName(prompt, extension, 'Picture') })
    },

    /**
     * Checks pictures that aren't stored, and converts them into data URLs for a model.
     * @throws the same errors as acceptPictures, except StorageFullError
     */
    async dataUrlsOf(encoded: string[]): Promise<string[]> {
      requireFewPictures(encoded)
      if (encoded.length === 0) return []
      return semaphore.run(async () => {
        const dataUrls: string[] = []
        for (const [position, image] of encoded.entries()) {
          const title = `Picture ${position + 1}`
          await nextTurn()
          const { data, contentType } = await images.shrinkForModel(decodePicture(image, title), { label: title })
          dataUrls.push(`data:${contentType};base64,${Buffer.from(data).toString('base64')}`)
        }
        return dataUrls
      })
    },

    /** Attaches accepted pictures to a message, in the transaction that stores it. */
    attach: (tx: Queryable, messageId: string, pictures: AcceptedPicture[]): Promise<void> =>
      store.attach(tx, messageId, pictures),

    /** Pictures of a user's messages as data URLs for a model, without those whose file is missing. */
    async dataUrlsForModel(userId: string, messageIds: string[]): Promise<Map<string, string[]>> {
      const byMessage = new Map<string, string[]>()
      for (const { messageId, path } of await store.listOf(userId, messageIds)) {
        try {
          const { data, contentType } = await pictureFiles.versionForModel(path)
          append(byMessage, messageId, `data:${contentType};base64,${data.toString('base64')}`)
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error
          deps.log.warn({ message_id: messageId }, 'the file of a picture is missing')
        }
      }
      return byMessage
    },

    /** Pictures of a user's messages for display, by message. */
    async present(userId: string, messageIds: string[]): Promise<Map<string, PresentedPicture[]>> {
      const byMessage = new Map<string, PresentedPicture[]>()
      for (const row of await store.listOf(userId, messageIds)) append(byMessage, row.messageId, present(userId, row))
      return byMessage
    },

    /** @throws NotFoundError when the message isn't the user's or has no such picture */
    async file(userId: string, messageId: string, position: number, size: PictureSize): Promise<PictureFile> {
      return pictureFiles.inSize(await find(userId, messageId, position), size)
    },

    /**
     * Saves a picture to the library as an item, which shares its file and outlives the message.
     * @throws NotFoundError when there is no such picture, ForbiddenError when the user may not upload
     */
    async saveToLibrary(
      user: { userId: string; mayUpload: boolean; countsInAnalytics: boolean },
      messageId: string,
      position: number,
    ): Promise<{ item: MediaItem; isNew: boolean }> {
      const { userId, mayUpload, countsInAnalytics } = user
      const picture = await find(userId, messageId, position)
      if (!mayUpload) throw new ForbiddenError('Your account does not have permission to do this.')
      const { name, sha256, path, contentType, sizeBytes, width, height } = picture
      const item = { sha256, path, originalFilename: name, contentType, sizeBytes, width, height }
      const saved = await store.withLock(userId, picture, async (tx) => {
        const added = await media.add(userId, { mediaType: 'image', ...item }, tx)
        if (added.isNew) {
          const detail = { action: 'kept', title: name }
          await store.recordActivity(tx, { userId, kind: 'upload', subjectId: added.id, detail, countsInAnalytics })
        }
        return added
      })
      if (saved === null) throw noPicture()
      const prompt = saved.isNew ? await store.promptOf(messageId, position) : null
      if (prompt !== null) await deps.corrections.change(userId, saved.id, { caption: prompt })
      return { item: await media.item(userId, saved.id), isNew: saved.isNew }
    },
  }
}

/** @throws ValidationError for more pictures than a message may have */
function requireFewPictures(encoded: string[]): void {
  if (encoded.length <= MESSAGE_MAX_IMAGES) return
  throw new ValidationError(`A message can have at most ${MESSAGE_MAX_IMAGES} pictures.`, { code: 'too_many_images' })
}

/** @throws ValidationError when it's empty, PayloadTooLargeError before decoding more than the limit */
function decodePicture(image: string, title: string): Buffer<ArrayBuffer> {
  const comma = image.startsWith('data:') ? image.slice(0, DATA_PREFIX_CHARACTERS).indexOf(',') : -1
  const base64 = image.slice(comma + 1)
  // Base64 may contain white space, so slightly longer texts are checked after decoding.
  const isTooLarge = (base64.length * 3) / 4 > IMAGE_MAX_BYTES * 1.1
  const content = isTooLarge ? undefined : Buffer.from(base64, 'base64')
  if (content === undefined || content.length > IMAGE_MAX_BYTES) {
    throw new PayloadTooLargeError(`${title} is larger than ${IMAGE_MAX_BYTES / MEGABYTE} MB.`, {
      code: 'image_too_large',
    })
  }
  if (content.length === 0) throw new ValidationError(`${title} is empty.`, { code: 'empty_image' })
  return content
}

/** Hexadecimal SHA-256, computed in another thread. */
async function hash(content: Buffer<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', content)).toString('hex')
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
