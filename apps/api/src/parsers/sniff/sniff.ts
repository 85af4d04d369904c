import { type FileHandle, open } from 'node:fs/promises'
import type { MediaType } from '@mira/shared'
import { type FileFormat, fileFormats, type ImageFormat } from '@mira/shared/constants/formats'
import { withBytes } from '../file-bytes.ts'
import { looksLikeBmp } from '../image/bmp.ts'
import { heifFormatOf } from '../image/phone/boxes.ts'
import { rawFormatOf } from '../image/phone/raw.ts'
import { tiffPagesOf } from '../image/tiff-pages.ts'
import { type SniffedProblem, sniffArchive, sniffCompoundFile } from './sniff-archives.ts'
import { isUnicodeText, mayBeOlderText, type TextKind, type TextSample, textKindOf } from './sniff-text.ts'

/** True when a file that may be a video or a recording has a picture track; null when unknown. */
type HasVideo = (handle: FileHandle, sizeBytes: number) => Promise<boolean | null>

/** Limit of the bytes read of a file's track descriptions. */
const MAX_BYTES = 4 * 1024 * 1024
/** Limit of the top-level boxes read of an MP4. */
const MAX_BOXES = 1000

const bytesOf = (digits: string) => Buffer.from(digits, 'hex')
const asfVideo = bytesOf('c0ef19bc4d5bcf11a8fd00805f5c442b')
const asfAudio = bytesOf('409e69f84d5bcf11a8fd00805f5c442b')
const ebmlTracks = bytesOf('1654ae6b')
const ebmlVideoTrack = bytesOf('838101')
const ebmlAudioTrack = bytesOf('838102')
const handlerBox = Buffer.from('hdlr')

/** Windows Media: the header comes first and states its size. */
const asfHasVideo: HasVideo = async (handle, sizeBytes) => {
  const start = await read(handle, 0, Math.min(sizeBytes, 30))
  if (start.length < 30) return null
  const header = await read(handle, 0, cappedSize(start.readBigUInt64LE(16)))
  return verdict(header.includes(asfVideo), header.includes(asfAudio))
}

/** Matroska and WebM: the tracks precede the pictures. */
const matroskaHasVideo: HasVideo = async (handle, sizeBytes) => {
  const start = await read(handle, 0, Math.min(sizeBytes, MAX_BYTES))
  const offset = start.indexOf(ebmlTracks)
  if (offset < 0) return null
  const { length, value } = readVint(start, offset + ebmlTracks.length)
  const from = offset + ebmlTracks.length + length
  const tracks = start.subarray(from, from + value)
  return verdict(tracks.includes(ebmlVideoTrack), tracks.includes(ebmlAudioTrack))
}

/** MP4 and QuickTime: the box of the tracks may be anywhere at the top level. */
const mp4HasVideo: HasVideo = async (handle, sizeBytes) => {
  let offset = 0
  for (let box = 0; box < MAX_BOXES && offset + 8 <= sizeBytes; box++) {
    const header = await read(handle, offset, 16)
    if (header.length < 8) return null
    const shortSize = header.readUInt32BE(0)
    const isLong = shortSize === 1 && header.length === 16
    const size = shortSize === 0 ? sizeBytes - offset : isLong ? Number(header.readBigUInt64BE(8)) : shortSize
    if (header.toString('latin1', 4, 8) === 'moov')
      return moovHasVideo(await read(handle, offset, Math.min(size, MAX_BYTES)))
    if (size < 8) return null
    offset += size
  }
  return null
}

/** The kind of a track is eight bytes after the name of its handler box. */
function moovHasVideo(moov: Buffer): boolean | null {
  const kinds = new Set<string>()
  for (let offset = moov.indexOf(handlerBox); offset >= 0; offset = moov.indexOf(handlerBox, offset + 4)) {
    kinds.add(moov.toString('latin1', offset + 12, offset + 16))
  }
  return verdict(kinds.has('vide'), kinds.has('soun'))
}

function verdict(hasVideo: boolean, hasAudio: boolean): boolean | null {
  if (hasVideo) return true
  return hasAudio ? false : null
}

/** EBML number: leading zeros of the first byte give its length; unknown sizes reach to the end. */
function readVint(bytes: Buffer, offset: number): { length: number; value: number } {
  const first = bytes[offset] ?? 0
  const length = Math.clz32(first) - 23
  if (length > 8) return { length: 1, value: 0 }
  let value = first & (0xff >> length)
  for (let next = 1; next < length; next++) value = value * 256 + (bytes[offset + next] ?? 0)
  return { length, value }
}

function cappedSize(size: bigint): number {
  return size > MAX_BYTES ? MAX_BYTES : Number(size)
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** Content type and usual file extension of each format. */
export const imageFormats: Record<ImageFormat, { contentType: string; extension: string }> = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  avif: { contentType: 'image/avif', extension: 'avif' },
  bmp: { contentType: 'image/bmp', extension: 'bmp' },
  tiff: { contentType: 'image/tiff', extension: 'tif' },
  heic: { contentType: 'image/heic', extension: 'heic' },
  jxl: { contentType: 'image/jxl', extension: 'jxl' },
  dng: { contentType: 'image/x-adobe-dng', extension: 'dng' },
  cr2: { contentType: 'image/x-canon-cr2', extension: 'cr2' },
  cr3: { contentType: 'image/x-canon-cr3', extension: 'cr3' },
  nef: { contentType: 'image/x-nikon-nef', extension: 'nef' },
  arw: { contentType: 'image/x-sony-arw', extension: 'arw' },
}

/** Detected content: a readable picture format, or else the presumed kind; null when unknown. */
type Sniffed = { format: ImageFormat } | { format: null; kind: string | null }

const formatsByExtension: Record<string, ImageFormat> = {
  jpg: 'jpeg',
  png: 'png',
  apng: 'png',
  webp: 'webp',
  gif: 'gif',
  avif: 'avif',
  tif: 'tiff',
  heic: 'heic',
  jxl: 'jxl',
  dng: 'dng',
  cr2: 'cr2',
  cr3: 'cr3',
  nef: 'nef',
  arw: 'arw',
}

/**
 * Detects a file's format by its content, never by its name or declared type.
 * @param source the bytes, or the path of a file.
 */
export async function sniffImage(source: Uint8Array | string): Promise<Sniffed> {
  const { fileTypeFromBuffer, fileTypeFromFile } = await import('file-type')
  const type = await (typeof source === 'string' ? fileTypeFromFile(source) : fileTypeFromBuffer(source))
  // the two letters that BMP files begin with don't suffice
  if (type?.ext === 'bmp') return (await looksLikeBmp(source)) ? { format: 'bmp' } : { format: null, kind: null }
  const extension = type && (await exactExtension(type.ext, source))
  const format = extension === undefined ? undefined : formatsByExtension[extension]
  return format ? { format } : { format: null, kind: extension?.toUpperCase() ?? null }
}

/** Formats with a TIFF header, which may be camera files. */
const tiffLike = new Set(['tif', 'dng', 'cr2', 'nef', 'arw'])
const HEAD_BYTES = 256

/** Extension of a phone or camera picture that begins like another format; other extensions are unchanged. */
function exactExtension(extension: string, source: Uint8Array | string): Promise<string> {
  return withBytes(source, async (bytes) => {
    if (tiffLike.has(extension)) return (await rawFormatOf(bytes)) ?? 'tif'
    return heifFormatOf(await bytes.read(0, HEAD_BYTES)) ?? extension
  })
}

/** Detected content of any accepted file; the format is an extension without the dot. */
export type SniffedFile =
  | { mediaType: MediaType; format: FileFormat; contentType: string; text?: TextKind }
  /** Presumed kind, null when unknown, and the problem of a document. */
  | { mediaType: null; kind: string | null; problem?: SniffedProblem }

/** Mira's formats by the other extensions that file-type reports for them. */
const sameFormats: Record<string, FileFormat> = {
  apng: 'png',
  tiff: 'tif',
  m4v: 'mp4',
  m4b: 'm4a',
  mp1: 'mp3',
  mp2: 'mp3',
  opus: 'ogg',
  oga: 'ogg',
  spx: 'ogg',
  ogv: 'ogg',
  ogx: 'ogg',
}

/** Video containers that may only contain sound. */
const mixedFormats: Partial<Record<FileFormat, { hasVideo: HasVideo; format?: FileFormat; contentType: string }>> = {
  mp4: { hasVideo: mp4HasVideo, format: 'm4a', contentType: 'audio/mp4' },
  '3gp': { hasVideo: mp4HasVideo, format: 'm4a', contentType: 'audio/mp4' },
  '3g2': { hasVideo: mp4HasVideo, format: 'm4a', contentType: 'audio/mp4' },
  mov: { hasVideo: mp4HasVideo, format: 'm4a', contentType: 'audio/mp4' },
  webm: { hasVideo: matroskaHasVideo, contentType: 'audio/webm' },
  mkv: { hasVideo: matroskaHasVideo, contentType: 'audio/x-matroska' },
  asf: { hasVideo: asfHasVideo, contentType: 'audio/x-ms-wma' },
}

const SAMPLE_BYTES = 64 * 1024
const MPEG_SEQUENCE = 0xb3
/** The header of a PDF may follow other bytes. */
const PDF_WITHIN_BYTES = 1024
/** Extensions that file-type reports for texts by their first words. */
const textExtensions = new Set(['xml', 'vcf', 'ics', 'vtt', 'ps', 'eps', 'stl', 'pgp', 'reg'])
/** Time limit for malicious files. */
const SNIFF_TIMEOUT_MS = 5_000

/**
 * Detects a file's type by its content: a supported one, or the presumed kind. The file may still be damaged.
 */
export async function sniffFile(filename: string): Promise<SniffedFile> {
  const handle = await open(filename)
  try {
    const { size } = await handle.stat()
    const sample = await readSample(handle, size)
    if (isPdf(sample)) return knownFormat('pdf')
    // some magic numbers are words that a text may start with
    if (isUnicodeText(sample)) return { ...knownFormat('txt'), text: textKindOf(sample.head) }
    if (isArchive(sample.head)) return sniffedArchive(await sniffArchive(filename, sample.head))
    const extension = await sniffExtension(filename, sample.head)
    if (extension === 'cfb') {
      const sniffed = await sniffCompoundFile(handle, sample.head)
      if (sniffed === null) return { mediaType: null, kind: null }
      return 'format' in sniffed
        ? knownFormat(sniffed.format)
        : { mediaType: null, kind: 'CFB', problem: sniffed.problem }
    }
    const format = extension === undefined ? undefined : asFormat(extension)
    if (format === 'bmp' && !(await looksLikeBmp(filename))) return { mediaType: null, kind: null }
    // file-type reports ogx when metadata precedes the streams, one of which may be a video
    const isOggVideo = extension === 'ogv' || (extension === 'ogx' && Buffer.from(sample.head).includes('theora'))
    if (isOggVideo) return { mediaType: 'video', format: 'ogg', contentType: 'video/ogg' }
    if (format === 'tif' && (await tiffPagesOf(filename)).length > 1)
      return { ...knownFormat('tif'), mediaType: 'document' }
    // a bare video stream without a container
    if (format === 'mpg' && sample.head[3] === MPEG_SEQUENCE) return knownFormat('m1v')
    if (format !== undefined) return await sniffedTracks(format, handle, size)
    const isOlderText = (extension === undefined || textExtensions.has(extension)) && mayBeOlderText(sample)
    if (extension !== undefined && !isOlderText) return { mediaType: null, kind: extension.toUpperCase() }
    return isOlderText ? { ...knownFormat('txt'), text: textKindOf(sample.head) } : { mediaType: null, kind: null }
  } finally {
    await handle.close()
  }
}

/** True for a PDF, whose header may follow other bytes; a text that only mentions the header has no objects. */
function isPdf(sample: TextSample): boolean {
  const start = Buffer.from(sample.head).toString('latin1')
  const index = start.slice(0, PDF_WITHIN_BYTES).indexOf('%PDF-')
  if (index < 0) return false
  if (/^[\s\0\xef\xbb\xbf]*$/.test(start.slice(0, index)) || /\b\d{1,10}\s{1,10}\d{1,5}\s{1,10}obj\b/.test(start))
    return true
  return !isUnicodeText(sample) && !mayBeOlderText(sample)
}

function asFormat(extension: string): FileFormat | undefined {
  if (Object.hasOwn(fileFormats, extension)) return extension as FileFormat
  return Object.hasOwn(sameFormats, extension) ? sameFormats[extension] : undefined
}

function knownFormat(format: FileFormat) {
  const { mediaType, contentType } = fileFormats[format]
  return { format, mediaType, contentType }
}

async function sniffedTracks(format: FileFormat, handle: FileHandle, sizeBytes: number): Promise<SniffedFile> {
  const mixed = mixedFormats[format]
  if (mixed === undefined || (await mixed.hasVideo(handle, sizeBytes)) !== false) return knownFormat(format)
  return { mediaType: 'audio', format: mixed.format ?? format, contentType: mixed.contentType }
}

function isArchive(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4
}

/** Archives that aren't documents are unsupported, whatever they contain. */
function sniffedArchive(archive: Awaited<ReturnType<typeof sniffArchive>>): SniffedFile {
  if (archive === null) return { mediaType: null, kind: 'ZIP' }
  if ('kind' in archive) return { mediaType: null, kind: archive.kind }
  return 'format' in archive ? knownFormat(archive.format) : { mediaType: null, kind: 'ZIP', problem: archive.problem }
}

/** Format by content, an extension without the dot; null for unsupported files. */
export async function formatOfFile(filename: string): Promise<string | null> {
  const sniffed = await sniffFile(filename)
  return sniffed.mediaType === null ? null : sniffed.format
}

async function sniffExtension(filename: string, head: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromFile } = await import('file-type')
  const signal = AbortSignal.timeout(SNIFF_TIMEOUT_MS)
  try {
    const type = await fileTypeFromFile(filename, { signal })
    // file-type doesn't recognise MP3 files with padding after their tags.
    if (type !== undefined) return await exactExtension(type.ext, tiffLike.has(type.ext) ? filename : head)
    return Buffer.from(head.subarray(0, 3)).equals(Buffer.from('ID3')) ? 'mp3' : undefined
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

async function readSample(handle: FileHandle, sizeBytes: number): Promise<TextSample> {
  const read = async (position: number) => {
    const length = Math.min(SAMPLE_BYTES, sizeBytes - position)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  }
  // An even offset keeps the two bytes of a UTF-16 unit together.
  const tailAt = Math.max(SAMPLE_BYTES, (sizeBytes - SAMPLE_BYTES) & ~1)
  return { head: await read(0), tail: sizeBytes > SAMPLE_BYTES ? await read(tailAt) : new Uint8Array() }
}
