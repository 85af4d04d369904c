import { join } from 'node:path'
import { isPermanent, NotFoundError, UnavailableError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { PdfReader } from '../../../parsers/pdf/pdf.ts'
import type { Av } from '../../../parsers/video/av.ts'
import type { Semaphore } from '../../../platform/lib/semaphore.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import type { ItemPicture } from './item-pictures.store.ts'

interface ItemPicturesDeps {
  /** Null when the item isn't the user's. */
  find(userId: string, itemId: string, number: number): Promise<ItemPicture | null>
  files: Pick<Files, 'useLocal'>
  av: Pick<Av, 'still'>
  pdf: Pick<PdfReader, 'draw'>
  withTempFolder: WithTempFolder
  /** Format detected from the content, as an extension without the dot; null when it's unknown. */
  formatOf(filename: string): Promise<string | null>
  /** Limits parallel decoding of videos, which takes much memory. */
  semaphore: Semaphore
  log: Log
}

/** A requested picture: an item that is a picture itself, or a numbered frame or page, by default the first. */
interface WantedPicture {
  userId: string
  mediaId: string
  number: number | undefined
  signal: AbortSignal
}

const PAGE_WIDTH_PIXELS = 1600
const noPicture = () =>
  new ValidationError('This item has no such picture. Choose one of its frames or pages.', {
    code: 'no_picture',
  })

/** Pictures of items as files, for the effects. */
export function createItemPictures(deps: ItemPicturesDeps) {
  const { find, files, av, pdf, withTempFolder, formatOf, semaphore, log } = deps

  /** Draws a frame or page into a folder; null when that's impossible. */
  const draw = (item: ItemPicture, number: number, folder: string, signal: AbortSignal): Promise<string | null> =>
    files.useLocal(item.path, async (filename) => {
      const format = await formatOf(filename)
      signal.throwIfAborted()
      if (item.mediaType === 'video' && format !== null) {
        const still = join(folder, 'still.png')
        const startSeconds = item.part?.startSeconds ?? 0
        return (await av.still({ filename, format }, { startSeconds, filename: still, signal })) ? still : null
      }
      if (format !== 'pdf') return null
      const pages = pdf.draw(filename, { pages: [number], widthPixels: PAGE_WIDTH_PIXELS, folder, signal })
      for await (const page of pages) return page.filename
      return null
    })

  /** Draws with a permit; null for unreadable files, while temporary errors are thrown. */
  const drawIfPossible: typeof draw = (item, number, folder, signal) =>
    semaphore
      .run(() => {
        signal.throwIfAborted()
        return draw(item, number, folder, signal)
      })
      .catch((error: unknown) => {
        signal.throwIfAborted()
        const hasNoTool = error instanceof UnavailableError && error.code === 'no_av'
        if (!hasNoTool && !isPermanent(error)) throw error
        log.info({ err: error }, 'could not draw a frame or page in full size')
        return null
      })

  return {
    /**
     * Calls `work` with a full-size picture of an image, frame or page; with the thumbnail when a frame or page can no
     * longer be drawn.
     * @throws NotFoundError when the item isn't the user's; ValidationError when it has no such picture;
     * UnavailableError for temporary problems.
     */
    async use<Result>(
      { userId, mediaId, number = 1, signal }: WantedPicture,
      work: (picture: { filename: string; name: string }) => Promise<Result>,
    ): Promise<Result> {
      const item = await find(userId, mediaId, number)
      if (item === null) throw new NotFoundError('This item no longer exists.')
      const { name, mediaType, path, part, pageCount } = item
      const workWith = (filename: string) => work({ filename, name })
      if (mediaType === 'image') return files.useLocal(path, workWith)
      // In a long document, only the first pages have a thumbnail.
      const exists = part !== null || (mediaType === 'document' && number <= (pageCount ?? 0))
      if (!exists) throw noPicture()
      return withTempFolder(async (folder) => {
        const drawnPath = await drawIfPossible(item, number, folder, signal)
        if (drawnPath !== null) return workWith(drawnPath)
        if (part === null) throw noPicture()
        return files.useLocal(part.path, workWith)
      })
    },
  }
}
