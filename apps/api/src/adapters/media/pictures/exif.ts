import { open } from 'node:fs/promises'
import type { ImageFormat } from '@mira/shared'
import ExifReader from 'exifreader'
import sharp, { type Metadata } from 'sharp'
import { boundedExif } from './exif-block.ts'
import { contentIdentifierOf } from './phone/apple-note.ts'
import { asReadable, cameraBlocksOf, isPhoneFormat } from './phone/decoded.ts'

/** What a camera wrote into a picture. */
export interface CameraFacts {
  /** Where the file does not tell how far its clock was from UTC, the time on the clock as if it were UTC. */
  takenAt: Date | null
  /** Maker and model. */
  camera: string | null
  /** Degrees. */
  place: { latitude: number; longitude: number } | null
  /** What an iPhone calls the picture and the film that it took with it. */
  contentIdentifier: string | null
}

const nothing: CameraFacts = { takenAt: null, camera: null, place: null, contentIdentifier: null }
/** A camera writes some kilobytes. */
const MOST_BYTES = 1_000_000
const CAMERA_MAX_CHARACTERS = 100
/** Nothing of the pixels is read here. */
const MAX_PIXELS = 0xffff_ffff

/**
 * Reads what the camera wrote, from a part of the file that is bounded; nothing when there is none, or none that can be read.
 * @param opened what the library has told of the file, where it was opened already.
 */
export async function readCameraFacts(
  filename: string,
  format: ImageFormat,
  opened?: Metadata | null,
): Promise<CameraFacts> {
  try {
    const facts: CameraFacts = { ...nothing }
    for (const block of await readBlocks(filename, format, opened)) {
      const bounded = boundedExif(block)
      if (bounded === null) continue
      facts.contentIdentifier ??= contentIdentifierOf(block)
      const { takenAt, camera, place } = factsOf(ExifReader.load(bounded, { expanded: true }))
      facts.takenAt = takenAt ?? facts.takenAt
      facts.camera ??= camera
      facts.place ??= place
    }
    return facts
  } catch {
    // whatever stands there, the picture can be shown
    return nothing
  }
}

/** The blocks of the camera; most formats have one. */
async function readBlocks(filename: string, format: ImageFormat, opened?: Metadata | null): Promise<Buffer[]> {
  if (isPhoneFormat(format)) return cameraBlocksOf(filename, format, MOST_BYTES)
  const block = format === 'tiff' ? await readStart(filename) : await readBlock(filename, format, opened)
  return block ? [block] : []
}

/** The block of the camera, wherever the format has it. */
async function readBlock(filename: string, format: ImageFormat, opened?: Metadata | null): Promise<Buffer | null> {
  const { exif } = opened ?? (await sharp(await asReadable(filename, format, MAX_PIXELS)).metadata())
  if (exif === undefined || exif.length > MOST_BYTES) return null
  return exif.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? exif.subarray(6) : exif
}

async function readStart(filename: string): Promise<Buffer> {
  const handle = await open(filename)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function factsOf({ exif = {}, gps = {} }: ExifReader.ExpandedTags): Omit<CameraFacts, 'contentIdentifier'> {
  const text = (tag: { description?: unknown } | undefined) => {
    const { description } = tag ?? {}
    return typeof description === 'string' ? description.replaceAll('\0', '').trim() : ''
  }
  const offset = text(exif.OffsetTimeOriginal) || text(exif.OffsetTime)
  const time = text(exif.DateTimeOriginal) || text(exif.DateTimeDigitized) || text(exif.DateTime)
  return {
    takenAt: timeOf(time, offset),
    camera: cameraOf(text(exif.Make), text(exif.Model)),
    place: placeOf(gps.Latitude, gps.Longitude),
  }
}

function timeOf(time: string, offset: string): Date | null {
  const [, year = '', month, day, clock] = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(time) ?? []
  // clocks that nobody set begin in 1970 or with zeros
  if (Number(year) <= 1970) return null
  const zone = /^[+-]\d\d:\d\d$/.test(offset) ? offset : 'Z'
  const date = new Date(`${year}-${month}-${day}T${clock}${zone}`)
  return Number.isNaN(date.getTime()) ? null : date
}

function cameraOf(maker: string, model: string): string | null {
  const isNamed = model.toLowerCase().startsWith(maker.split(' ')[0]?.toLowerCase() ?? '')
  const camera = (isNamed ? model : `${maker} ${model}`).replace(/\s+/g, ' ').trim()
  return camera.slice(0, CAMERA_MAX_CHARACTERS) || null
}

function placeOf(latitude: number | undefined, longitude: number | undefined): CameraFacts['place'] {
  if (latitude === undefined || longitude === undefined) return null
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  // where a receiver says it is that has found nothing
  const isNowhere = latitude === 0 && longitude === 0
  return isOnEarth && !isNowhere ? { latitude, longitude } : null
}
