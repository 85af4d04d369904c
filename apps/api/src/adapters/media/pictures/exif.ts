import { open } from 'node:fs/promises'
import type { ImageFormat } from '@mira/shared'
import ExifReader from 'exifreader'
import sharp, { type Metadata } from 'sharp'
import {
  type Coordinates,
  coordinatesOf,
  type TakenTime,
  takenTimeOf,
  takenTimeOfUtc,
} from '../../../lib/taken-time.ts'
import { type Embedded, type EmbeddedWords, IPTC, readEmbedded, wordsOf } from './embedded-words.ts'
import { boundedExif } from './exif-block.ts'
import { contentIdentifierOf } from './phone/apple-note.ts'
import { asReadable, cameraBlocksOf, isPhoneFormat } from './phone/decoded.ts'

/** Metadata that a camera wrote into a picture. */
export interface CameraFacts {
  /** Null where the file states none that can be. */
  taken: TakenTime | null
  /** Maker and model. */
  camera: string | null
  /** Degrees. */
  place: Coordinates | null
  /** Titles, captions, keywords and people that programs wrote into the file. */
  words: EmbeddedWords
  /** Apple's identifier of the picture and the film taken with it. */
  contentIdentifier: string | null
}

const nothing: CameraFacts = { taken: null, camera: null, place: null, words: {}, contentIdentifier: null }
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
    const metadata = opened ?? (isPhoneFormat(format) ? null : await sharp(filename).metadata())
    const embedded = readEmbedded(metadata)
    const blocks: ExifReader.ExpandedTags[] = []
    let contentIdentifier: string | null = null
    for (const block of await readBlocks(filename, format, metadata)) {
      const bounded = boundedExif(block)
      if (bounded === null) continue
      contentIdentifier ??= contentIdentifierOf(block)
      blocks.push(ExifReader.load(bounded, { expanded: true }))
    }
    const exif: TagTexts = Object.assign({}, ...blocks.map((block) => textsOf(block.exif)))
    const places = blocks.map(({ gps }) => coordinatesOf(gps?.Latitude, gps?.Longitude))
    const place = places.find((one) => one !== null) ?? null
    return {
      taken: takenOf(exif, embedded, place),
      camera: cameraOf(exif.Make ?? '', exif.Model ?? ''),
      place,
      words: wordsOf(exif, embedded),
      contentIdentifier,
    }
  } catch {
    // whatever stands there, the picture can be shown
    return nothing
  }
}

/** The blocks of the camera; most formats have one. */
async function readBlocks(filename: string, format: ImageFormat, opened: Metadata | null): Promise<Buffer[]> {
  if (isPhoneFormat(format)) return cameraBlocksOf(filename, format, MOST_BYTES)
  const block = format === 'tiff' ? await readStart(filename) : await readBlock(filename, format, opened)
  return block ? [block] : []
}

/** The block of the camera, wherever the format has it. */
async function readBlock(filename: string, format: ImageFormat, opened: Metadata | null): Promise<Buffer | null> {
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

type TagTexts = Record<string, string>

function textsOf(tags: object = {}): TagTexts {
  return Object.fromEntries(
    Object.entries(tags).flatMap(([name, tag]: [string, unknown]) => {
      const description: unknown =
        typeof tag === 'object' && tag !== null && 'description' in tag ? tag.description : ''
      return typeof description === 'string' ? [[name, description.replaceAll('\0', '').trim()]] : []
    }),
  )
}

/** The first time that can be, in order of trust: the shutter, the scanner, other programs, the satellites, the last edit. */
function takenOf(exif: TagTexts, { xmp, iptc, png }: Embedded, place: Coordinates | null): TakenTime | null {
  const { DateTimeOriginal = '', DateTimeDigitized = '', DateTime = '' } = exif
  const isEdited = DateTime !== '' && DateTime !== DateTimeOriginal
  const originalOffset = exif.OffsetTimeOriginal || exif.OffsetTimeDigitized || (isEdited ? '' : exif.OffsetTime)
  const ofXmp = (name: string) => takenTimeOf(xmp.get(name)?.[0] ?? '', '', place)
  return (
    takenTimeOf(DateTimeOriginal, originalOffset, place) ??
    ofXmp('exif:DateTimeOriginal') ??
    ofXmp('photoshop:DateCreated') ??
    takenTimeOf(DateTimeDigitized, exif.OffsetTimeDigitized, place) ??
    ofXmp('exif:DateTimeDigitized') ??
    takenTimeOf(`${iptc.get(IPTC.day)?.[0] ?? ''} ${iptc.get(IPTC.time)?.[0] ?? ''}`, '', place) ??
    ofXmp('xmp:CreateDate') ??
    takenTimeOf(png.get('creation time') ?? '', '', place) ??
    takenTimeOfUtc(`${exif.GPSDateStamp ?? ''} ${(exif.GPSTimeStamp ?? '').replaceAll(' ', '')}`, place) ??
    takenTimeOf(DateTime, exif.OffsetTime, place)
  )
}

function cameraOf(maker: string, model: string): string | null {
  const isNamed = model.toLowerCase().startsWith(maker.split(' ')[0]?.toLowerCase() ?? '')
  const camera = (isNamed ? model : `${maker} ${model}`).replace(/\s+/g, ' ').trim()
  return camera.slice(0, CAMERA_MAX_CHARACTERS) || null
}
