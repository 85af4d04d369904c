import { cutText } from '@mira/shared/constants/cut-text'
import type { ImageFormat } from '@mira/shared/constants/formats'
import ExifReader from 'exifreader'
import sharp, { type Metadata } from 'sharp'
import {
  type Coordinates,
  coordinatesOf,
  type TakenTime,
  takenTimeOf,
  takenTimeOfUtc,
} from '../../platform/lib/taken-time.ts'
import { withBytes } from '../file-bytes.ts'
import { boundedExif, exifOfTiff } from './exif-block.ts'
import { asReadable, isPhoneFormat, metadataBlocksOf, orNull, type PictureBlocks } from './phone/decoded.ts'
import { contentIdentifierOf } from './phone/motion.ts'
import { xmpPlaceNames, xmpPlaceOf, xmpValues } from './xmp-values.ts'

/** Texts in a picture's metadata; several texts of a field are joined. */
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
/** Photoshop up to CS2 wrote `CreateDate` with the prefix `xap`. */
const XMP_TIMES = [
  ...['exif:DateTimeOriginal', 'photoshop:DateCreated', 'exif:DateTimeDigitized'],
  ...['xmp:CreateDate', 'xap:CreateDate'],
]
const xmpNames = new Set([...Object.values(XMP).flat(), ...XMP_TIMES, ...xmpPlaceNames])
/** Limit for one block; a camera writes some kilobytes. */
const MAX_BYTES = 1_000_000
const MAX_DATASETS = 1000
const MAX_CHARACTERS = 1000
/** Titles that cameras write into every picture, in capitals: the same words in lower case were typed by a person. */
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
      return joined === '' ? [] : [[name, cutText(joined, MAX_CHARACTERS)]]
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
    // longer data has another format, which no text needs
    if (length > 0x7fff) break
    const dataset = block[offset + 2] ?? 0
    const text = textOf(block.subarray(offset + 5, offset + 5 + length))
    if (block[offset + 1] === 2) datasets.set(dataset, [...(datasets.get(dataset) ?? []), text])
    offset += 5 + length
  }
  return datasets
}

/** Decodes UTF-8, else Windows-1252, which older programs wrote. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Metadata of a picture, from its camera or other programs. */
export interface CameraFacts {
  /** Null when the file states no plausible time. */
  takenTime: TakenTime | null
  /** Maker and model. */
  camera: string | null
  /** Degrees. */
  place: Coordinates | null
  /** Titles, captions, keywords and names in the file. */
  words: EmbeddedWords
  /** Apple's identifier of the picture and the video taken with it. */
  contentIdentifier: string | null
}

const noFacts: CameraFacts = { takenTime: null, camera: null, place: null, words: {}, contentIdentifier: null }
const CAMERA_MAX_CHARACTERS = 100
/** Number of pixels above any picture's: no limit, since no pixels are read. */
const ANY_PIXELS = 0xffff_ffff

/**
 * Reads EXIF from a bounded part of the file; empty when it's missing or unreadable.
 * @param opened metadata by sharp, when the file is open already.
 */
export async function readCameraFacts(
  filename: string,
  format: ImageFormat,
  opened?: Metadata | null,
): Promise<CameraFacts> {
  try {
    const metadata = opened ?? (isPhoneFormat(format) ? null : await orNull(() => sharp(filename).metadata()))
    const { exif: exifBlocks, xmp } = await blocksOfPicture(filename, format, metadata)
    const embedded = readEmbedded(metadata, xmp)
    const blocks: ExifReader.ExpandedTags[] = []
    let contentIdentifier: string | null = null
    for (const block of exifBlocks) {
      contentIdentifier ??= contentIdentifierOf(block)
      const tags = exifTagsOf(block)
      if (tags !== null) blocks.push(tags)
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
    // A picture with broken metadata can still be shown.
    return noFacts
  }
}

/** Tags of an EXIF block; null for a broken block, or one that would take long to parse. */
function exifTagsOf(block: Buffer): ExifReader.ExpandedTags | null {
  try {
    const bounded = boundedExif(block)
    return bounded && ExifReader.load(bounded, { expanded: true })
  } catch {
    return null
  }
}

/** Metadata blocks of a picture; the broken and the oversized ones are left out. */
export async function blocksOfPicture(
  filename: string,
  format: ImageFormat,
  opened: Metadata | null,
): Promise<PictureBlocks> {
  const openedXmp = opened?.xmp ?? null
  if (isPhoneFormat(format)) {
    const blocks = await orNull(() => metadataBlocksOf(filename, format, MAX_BYTES))
    return { exif: blocks?.exif ?? [], xmp: blocks?.xmp ?? openedXmp }
  }
  const block = await orNull(() =>
    format === 'tiff' ? withBytes(filename, exifOfTiff) : readBlock(filename, format, opened),
  )
  return { exif: block ? [block] : [], xmp: openedXmp }
}

/** EXIF block of a picture; null when missing or too large. */
async function readBlock(filename: string, format: ImageFormat, opened: Metadata | null): Promise<Buffer | null> {
  const { exif } = opened ?? (await sharp(await asReadable(filename, format, ANY_PIXELS)).metadata())
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

/** First plausible time in order of trust: shutter, scanner, other programs, GPS, last edit. */
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
  return cutText(camera, CAMERA_MAX_CHARACTERS) || null
}
