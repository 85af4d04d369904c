import { type ImageFormat, isShownAsCopy } from '@mira/shared/constants/formats'
import ExifReader from 'exifreader'
import sharp, { type Metadata, type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { ValidationError } from '../../errors.ts'
import {
  type Coordinates,
  coordinatesOf,
  type TakenTime,
  takenTimeOf,
  takenTimeOfUtc,
} from '../../platform/lib/taken-time.ts'
import { withBytes } from '../file-bytes.ts'
import {
  asPicture,
  copyOf,
  type EncodedImage,
  pixelsOf,
  THUMBNAIL_LONGEST_SIDE,
  thumbnailOf,
} from './copies-and-thumbnails.ts'
import { boundedExif, exifOfTiff } from './exif-block.ts'
import { asReadable, blocksOf, isPhoneFormat, type PictureBlocks } from './phone/decoded.ts'
import { contentIdentifierOf, findMotion } from './phone/motion.ts'
import { PictureProblem } from './phone/picture-problem.ts'
import type { ImageInfo, LocalImages } from './picture-reader.ts'
import { xmpPlaceNames, xmpPlaceOf, xmpValues } from './xmp-values.ts'

/** The library takes no larger picture. */
const LONGEST_SIDE = 100

/**
 * A tiny blurred picture of a picture, base64 of some 25 bytes, to be shown until the picture has come.
 * @param picture a thumbnail, or its bytes, that sharp can decode.
 */
export async function thumbhashOf(picture: Uint8Array | Sharp): Promise<string> {
  const { data, info } = await (picture instanceof Uint8Array ? sharp(picture) : picture)
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}

/** Texts in a picture's metadata by field, several joined. */
interface EmbeddedWords {
  title?: string
  description?: string
  keywords?: string
  people?: string
}

/** Metadata blocks other than EXIF, as texts. */
interface Embedded {
  /** By property. */
  xmp: Map<string, string[]>
  /** By the number of the dataset in record 2. */
  iptc: Map<number, string[]>
  /** By keyword, in lower case. */
  png: Map<string, string>
}

/** Datasets of record 2 (IPTC-NAA Information Interchange Model 4). */
const IPTC = { title: 5, keyword: 25, day: 55, time: 60, headline: 105, caption: 120 } as const

const XMP = {
  title: ['dc:title', 'photoshop:Headline'],
  description: ['dc:description', 'exif:UserComment'],
  keywords: ['dc:subject'],
  people: ['Iptc4xmpExt:PersonInImage', 'mwg-rs:Name', 'MPReg:PersonDisplayName'],
}
/** Photoshop until CS2 names the last one with another prefix. */
const XMP_TIMES = [
  ...['exif:DateTimeOriginal', 'photoshop:DateCreated', 'exif:DateTimeDigitized'],
  ...['xmp:CreateDate', 'xap:CreateDate'],
]
const xmpNames = new Set([...Object.values(XMP).flat(), ...XMP_TIMES, ...xmpPlaceNames])
/** Limit for one block; a camera writes some kilobytes. */
const MAX_BYTES = 1_000_000
const MAX_DATASETS = 1000
const MAX_CHARACTERS = 1000
/** Cameras write these into every picture; in other letters, they are words of a person. */
const MAKER_TITLE = /^(?:[\w ]{1,30} DIGITAL CAMERA|SONY DSC|KONICA MINOLTA.*|DCIM.*|DCF [\d.]+|SAMSUNG.*|<Digimax.*)$/
const PLACEHOLDER =
  /^(?:default|untitled|charset=.*|(?:created with|erstellt mit|creado con|créé avec) (?:the )?gimp)$/i
const isDescription = (text: string) => text !== '' && !MAKER_TITLE.test(text) && !PLACEHOLDER.test(text)

/** Reads metadata other than EXIF; empty for a file without it. */
function readEmbedded(metadata: Metadata | null, xmp: Buffer | null): Embedded {
  const { iptc, comments = [] } = metadata ?? {}
  return {
    xmp: xmp === null || xmp.length > MAX_BYTES ? new Map() : xmpValues(textOf(xmp), xmpNames),
    iptc: iptc === undefined || iptc.length > MAX_BYTES ? new Map() : readIptc(iptc),
    png: new Map(comments.map(({ keyword, text }) => [keyword.toLowerCase(), text])),
  }
}

/** All descriptive texts, each once. */
function wordsOf(exif: Record<string, string>, { xmp, iptc, png }: Embedded): EmbeddedWords {
  const ofXmp = (names: string[]) => names.flatMap((name) => xmp.get(name) ?? [])
  const ofIptc = (dataset: number) => iptc.get(dataset) ?? []
  const all = {
    title: [...ofXmp(XMP.title), ...ofIptc(IPTC.title), ...ofIptc(IPTC.headline), exif.XPTitle, png.get('title')],
    description: [
      ...ofXmp(XMP.description),
      ...ofIptc(IPTC.caption),
      ...[exif.ImageDescription, exif.XPSubject, exif.XPComment, png.get('description'), png.get('comment')],
    ],
    keywords: [...ofXmp(XMP.keywords), ...ofIptc(IPTC.keyword), ...(exif.XPKeywords ?? '').split(';')],
    people: ofXmp(XMP.people),
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, texts]) => {
      const clean = texts.map((text) => (text ?? '').trim()).filter(isDescription)
      const joined = [...new Set(clean)].join(name === 'keywords' || name === 'people' ? ', ' : '\n')
      return joined === '' ? [] : [[name, joined.slice(0, MAX_CHARACTERS)]]
    }),
  )
}

/** IPTC datasets of record 2, in a Photoshop resource block or a bare one. */
function readIptc(block: Buffer): Map<number, string[]> {
  const datasets = new Map<number, string[]>()
  const resource = block.indexOf('8BIM\x04\x04', 0, 'latin1')
  let offset = block.indexOf(0x1c, Math.max(resource, 0))
  for (
    let count = 0;
    count < MAX_DATASETS && offset >= 0 && offset + 5 <= block.length && block[offset] === 0x1c;
    count++
  ) {
    const length = block.readUInt16BE(offset + 3)
    // a length beyond this is written another way, which no text needs
    if (length > 0x7fff) break
    const dataset = block[offset + 2] ?? 0
    const text = textOf(block.subarray(offset + 5, offset + 5 + length))
    if (block[offset + 1] === 2) datasets.set(dataset, [...(datasets.get(dataset) ?? []), text])
    offset += 5 + length
  }
  return datasets
}

/** UTF-8, else Windows-1252, which programs wrote before. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Metadata that a camera wrote into a picture. */
interface CameraFacts {
  /** Null where the file states none that can be. */
  takenTime: TakenTime | null
  /** Maker and model. */
  camera: string | null
  /** Degrees. */
  place: Coordinates | null
  /** Titles, captions, keywords and names in the file. */
  words: EmbeddedWords
  /** Apple's identifier of the picture and the film taken with it. */
  contentIdentifier: string | null
}

const nothing: CameraFacts = { takenTime: null, camera: null, place: null, words: {}, contentIdentifier: null }
const CAMERA_MAX_CHARACTERS = 100
/** Nothing of the pixels is read here. */
const MAX_PIXELS = 0xffff_ffff

/**
 * Reads EXIF from a bounded part of the file; empty when it's missing or unreadable.
 * @param opened the library's metadata, for a file that is open already.
 */
export async function readCameraFacts(
  filename: string,
  format: ImageFormat,
  opened?: Metadata | null,
): Promise<CameraFacts> {
  try {
    const metadata = opened ?? (isPhoneFormat(format) ? null : await sharp(filename).metadata())
    const { exif: exifBlocks, xmp } = await blocksOfPicture(filename, format, metadata)
    const embedded = readEmbedded(metadata, xmp)
    const blocks: ExifReader.ExpandedTags[] = []
    let contentIdentifier: string | null = null
    for (const block of exifBlocks) {
      const tags = exifTagsOf(block)
      if (tags === null) continue
      contentIdentifier ??= contentIdentifierOf(block)
      blocks.push(tags)
    }
    const exif: TagTexts = Object.assign({}, ...blocks.map((block) => textsOf(block.exif)))
    const places = blocks.map(({ gps }) => coordinatesOf(gps?.Latitude, gps?.Longitude))
    const place = places.find((place) => place !== null) ?? xmpPlaceOf(embedded.xmp)
    return {
      takenTime: takenOf(exif, embedded, place),
      camera: cameraOf(exif.Make ?? '', exif.Model ?? ''),
      place,
      words: wordsOf(exif, embedded),
      contentIdentifier,
    }
  } catch {
    // a picture with broken metadata can still be shown
    return nothing
  }
}

/** Null for a broken block, or one that would take long; the others may still be readable. */
function exifTagsOf(block: Buffer): ExifReader.ExpandedTags | null {
  const bounded = boundedExif(block)
  try {
    return bounded && ExifReader.load(bounded, { expanded: true })
  } catch {
    return null
  }
}

async function blocksOfPicture(filename: string, format: ImageFormat, opened: Metadata | null): Promise<PictureBlocks> {
  const preview = opened?.xmp ?? null
  if (isPhoneFormat(format)) {
    const { exif, xmp } = await blocksOf(filename, format, MAX_BYTES)
    return { exif, xmp: xmp ?? preview }
  }
  const block = format === 'tiff' ? await withBytes(filename, exifOfTiff) : await readBlock(filename, format, opened)
  return { exif: block ? [block] : [], xmp: preview }
}

/** The block of the camera, wherever the format has it. */
async function readBlock(filename: string, format: ImageFormat, opened: Metadata | null): Promise<Buffer | null> {
  const { exif } = opened ?? (await sharp(await asReadable(filename, format, MAX_PIXELS)).metadata())
  if (exif === undefined || exif.length > MAX_BYTES) return null
  return exif.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? exif.subarray(6) : exif
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
    ofXmp('xap:CreateDate') ??
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

/** Analysis and copies of a new picture. */
export interface NewPicture {
  info: ImageInfo
  camera: CameraFacts
  /** True if only a part of it could be decoded. */
  isDamaged: boolean
  thumbnail: EncodedImage
  /** A copy to look at; null where the picture itself can be shown. */
  preview: EncodedImage | null
  /** A tiny blurred picture, base64. */
  thumbhash: string
  /** Byte offset of the film that a phone appended to the pixels; null for none. */
  motionStart: number | null
}

/** Their pictures would stop moving. */
const mayMove = new Set<ImageInfo['format']>(['gif', 'webp', 'png', 'avif'])
/** More than a screen shows and a connection loads at once. */
const LARGE_PIXELS = 4_000_000
const LARGE_BYTES = 2_500_000

function wantsPreview({ format, contentType, width, height }: ImageInfo, sizeBytes: number): boolean {
  if (isShownAsCopy(contentType)) return true
  return (width * height > LARGE_PIXELS || sizeBytes > LARGE_BYTES) && !mayMove.has(format)
}

/** Below this, all pixels have one colour: nothing of a damaged picture was decoded. */
const MIN_DEVIATION = 1

/**
 * Looks at a new picture, which is decoded once. Of a damaged one, as much is shown as can be decoded. Throws as
 * Images.thumbnail does, when nothing can.
 */
export async function readNewPicture(images: LocalImages, filename: string, sizeBytes: number): Promise<NewPicture> {
  try {
    return await readPicture(images, filename, { sizeBytes, isDamaged: false })
  } catch (error) {
    if (!(error instanceof ValidationError) || error.code !== 'damaged_image') throw error
    // neither gives up its pixels a second time
    const { cause } = error
    if (cause instanceof PictureProblem || (cause instanceof Error && /timeout/i.test(cause.message))) throw error
    const picture = await readPicture(images, filename, { sizeBytes, isDamaged: true }).catch(() => null)
    if (picture === null) throw error
    const { channels } = await sharp(picture.thumbnail.data).stats()
    if (channels.every(({ stdev }) => stdev < MIN_DEVIATION)) throw error
    return picture
  }
}

function readPicture(
  images: LocalImages,
  filename: string,
  { sizeBytes, isDamaged }: { sizeBytes: number; isDamaged: boolean },
): Promise<NewPicture> {
  return images.draw(filename, { toleratesDamage: isDamaged }, async (picture, info, metadata) => {
    const camera = await readCameraFacts(filename, info.format, metadata)
    // not every program shows a damaged original
    const large = isDamaged || wantsPreview(info, sizeBytes) ? await copyOf(picture) : null
    const pixels = await pixelsOf(large === null ? picture : asPicture(large.pixels), THUMBNAIL_LONGEST_SIDE)
    return {
      info,
      camera,
      isDamaged,
      preview: large?.copy ?? null,
      thumbnail: await thumbnailOf(pixels),
      thumbhash: await thumbhashOf(asPicture(pixels)),
      motionStart: await findMotion(filename, info.format),
    }
  })
}
