import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type'
import { looksLikeBmp } from './bmp.ts'

/** The pictures that can be read. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff' | 'bmp'

/** Each format's content type, and what its files are called. */
export const imageFormats: Record<ImageFormat, { contentType: string; extension: string }> = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  avif: { contentType: 'image/avif', extension: 'avif' },
  bmp: { contentType: 'image/bmp', extension: 'bmp' },
  tiff: { contentType: 'image/tiff', extension: 'tif' },
}

/** What content is: a picture that can be read, or else the word for what it seems to be; null when nothing is known. */
export type Sniffed = { format: ImageFormat } | { format: null; kind: string | null }

const formatsByExtension: Record<string, ImageFormat> = {
  jpg: 'jpeg',
  png: 'png',
  apng: 'png',
  webp: 'webp',
  gif: 'gif',
  avif: 'avif',
  tif: 'tiff',
}

/**
 * Judges a file by its content alone, never by its name or by what was declared.
 * @param source the bytes, or the path of a file.
 */
export async function sniffImage(source: Uint8Array | string): Promise<Sniffed> {
  const type = await (typeof source === 'string' ? fileTypeFromFile(source) : fileTypeFromBuffer(source))
  // two letters make no picture
  if (type?.ext === 'bmp') return (await looksLikeBmp(source)) ? { format: 'bmp' } : { format: null, kind: null }
  const format = type && formatsByExtension[type.ext]
  return format ? { format } : { format: null, kind: type ? type.ext.toUpperCase() : null }
}
