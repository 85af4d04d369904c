import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import sharp from 'sharp'
import { CHANNELS, MAX_PIXELS, type PixelPicture } from './pixel-picture.ts'
import { chunkOf, chunksBeforeData, joinRows, type PackedRows } from './png-rows.ts'

/** Encodes pixels, and converts pictures to other types. */
export interface PictureEncoding {
  /** A PNG with the picture's colour profile and EXIF. */
  encodePng(picture: PixelPicture): Promise<Buffer>
  /** The same PNG, from rows that are compressed already. */
  joinPng(picture: Omit<PixelPicture, 'data'>, rows: readonly PackedRows[]): Promise<Buffer>
  /** A small WebP in sRGB, for previews. */
  encodePreview(picture: PixelPicture): Promise<Buffer>
  /** Converts our own PNG to another type and keeps profile and EXIF. @param filename of the PNG. */
  convert(filename: string, format: 'webp' | 'jpeg' | 'avif'): Promise<Buffer>
}

const compress = promisify(deflate)

export const pictureEncoding: PictureEncoding = {
  encodePng,

  async joinPng(picture, rows) {
    const pixel = { width: 1, height: 1, data: Uint8ClampedArray.of(0, 0, 0, 255) }
    return joinRows(rows, picture, chunksBeforeData(await encodePng({ ...picture, ...pixel })))
  },

  async encodePreview(picture) {
    if (!picture.iccProfile) return opaqueIfPossible(picture).webp({ quality: 76 }).toBuffer()
    const png = await opaqueIfPossible(picture).png({ compressionLevel: 0 }).toBuffer()
    return sharp(await withProfile(png, picture.iccProfile))
      .webp({ quality: 76 })
      .toBuffer()
  },

  async convert(filename, format) {
    const picture = sharp(filename, { limitInputPixels: MAX_PIXELS }).keepIccProfile().keepExif()
    if (format === 'jpeg') return picture.flatten({ background: '#ffffff' }).jpeg({ quality: 92 }).toBuffer()
    if (format === 'webp') return picture.webp({ quality: 90 }).toBuffer()
    return picture.avif({ quality: 65, effort: 3 }).toBuffer()
  },
}

async function encodePng(picture: PixelPicture): Promise<Buffer> {
  const png = await opaqueIfPossible(picture)
    .withExif(picture.exif)
    .png({ compressionLevel: 2, adaptiveFiltering: true })
    .toBuffer()
  return picture.iccProfile ? withProfile(png, picture.iccProfile) : png
}

function opaqueIfPossible({ data, width, height, isOpaque }: PixelPicture) {
  const raw = { width, height, channels: CHANNELS } as const
  const picture = sharp(Buffer.from(data.buffer, data.byteOffset, data.length), { raw, limitInputPixels: MAX_PIXELS })
  return isOpaque ? picture.removeAlpha() : picture
}

/** Inserts a colour profile after the header of a PNG (chunk iCCP of the PNG specification, 11.3.3.3). */
async function withProfile(png: Buffer, profile: Buffer): Promise<Buffer> {
  const HEADER_END = 33
  const content = Buffer.concat([Buffer.from('icc\0\0', 'latin1'), await compress(profile)])
  return Buffer.concat([png.subarray(0, HEADER_END), ...chunkOf('iCCP', content), png.subarray(HEADER_END)])
}
