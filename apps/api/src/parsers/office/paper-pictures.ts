import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPaperZip } from './paper-zip.ts'
import type { PaperPicture } from './papers.ts'

/** A picture where a document shows it: the name of a file inside it, or its bytes. */
export interface NotedPicture {
  page: number
  source: string | Uint8Array
}

/** Icons and lines contain no text. */
const MIN_BYTES = 400
const MAX_BYTES = 20 * 1024 * 1024
const MAX_BYTES_OF_ALL = 128 * 1024 * 1024
const readable = new Set(['.png', '.jpg', '.jpeg', '.gif', '.bmp', '.webp', '.tif', '.tiff', '.avif'])

/** Lays the pictures of a document into a folder, each once and not too many; damaged ones are passed over. */
export async function writePictures(
  filename: string,
  noted: NotedPicture[],
  { folder, max }: { folder: string; max: number },
): Promise<{ pictures: PaperPicture[]; foundCount: number }> {
  const readableSources = noted.filter(
    ({ source }) => typeof source !== 'string' || readable.has(extname(source).toLowerCase()),
  )
  const pictures: PaperPicture[] = []
  const zip = readableSources.some(({ source }) => typeof source === 'string') ? await openPaperZip(filename) : null
  let bytes = 0
  try {
    for (const { page, source } of readableSources) {
      if (pictures.length >= max || bytes > MAX_BYTES_OF_ALL) break
      const pictureFile = join(folder, `picture-${pictures.length + 1}`)
      const writtenBytes =
        typeof source === 'string'
          ? await unpacked(zip?.pieces(source) ?? [], pictureFile)
          : await writeBytes(source, pictureFile)
      bytes += writtenBytes
      if (writtenBytes >= MIN_BYTES && writtenBytes <= MAX_BYTES) pictures.push({ page, filename: pictureFile })
      else await rm(pictureFile, { force: true })
    }
  } finally {
    zip?.close()
  }
  return { pictures, foundCount: readableSources.length }
}

async function writeBytes(bytes: Uint8Array, filename: string): Promise<number> {
  await writeFile(filename, bytes)
  return bytes.length
}

/**
 * Writes a picture up to the size limit. Returns its size in bytes, beyond the limit for a cut one; 0 for a damaged
 * one.
 */
async function unpacked(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, filename: string): Promise<number> {
  let bytes = 0
  try {
    await pipeline(async function* () {
      for await (const piece of pieces) {
        bytes += piece.length
        if (bytes > MAX_BYTES) return
        yield piece
      }
    }, createWriteStream(filename))
  } catch {
    // a failed picture mustn't fail its document
    return 0
  }
  return bytes
}
