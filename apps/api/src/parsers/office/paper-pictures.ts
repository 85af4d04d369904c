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
  { folder, most }: { folder: string; most: number },
): Promise<{ pictures: PaperPicture[]; found: number }> {
  const wanted = noted.filter(({ source }) => typeof source !== 'string' || readable.has(extname(source).toLowerCase()))
  const pictures: PaperPicture[] = []
  const zip = wanted.some(({ source }) => typeof source === 'string') ? await openPaperZip(filename) : null
  let bytes = 0
  try {
    for (const { page, source } of wanted) {
      if (pictures.length >= most || bytes > MAX_BYTES_OF_ALL) break
      const made = join(folder, `picture-${pictures.length + 1}`)
      const written =
        typeof source === 'string' ? await unpacked(zip?.pieces(source) ?? [], made) : await laid(source, made)
      bytes += written
      if (written >= MIN_BYTES && written <= MAX_BYTES) pictures.push({ page, filename: made })
      else await rm(made, { force: true })
    }
  } finally {
    zip?.close()
  }
  return { pictures, found: wanted.length }
}

async function laid(bytes: Uint8Array, made: string): Promise<number> {
  await writeFile(made, bytes)
  return bytes.length
}

/**
 * Writes a picture up to the size limit. Returns its size in bytes, beyond the limit for a cut one; 0 for a damaged
 * one.
 */
async function unpacked(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, made: string): Promise<number> {
  let bytes = 0
  try {
    await pipeline(async function* () {
      for await (const piece of pieces) {
        bytes += piece.length
        if (bytes > MAX_BYTES) return
        yield piece
      }
    }, createWriteStream(made))
  } catch {
    // a failed picture mustn't fail its document
    return 0
  }
  return bytes
}
