import {
  acceptedEndingsOf,
  type FileFormat,
  fileFormats,
  type MediaType,
  mediaTypes,
  STILL_UPLOAD_MAX_BYTES,
} from '@mira/shared'
import { PayloadTooLargeError, UnsupportedTypeError, ValidationError } from '../../../errors.ts'
import type { SniffedFile } from '../../../parsers/sniff/sniff.ts'
import type { SniffedProblem } from '../../../parsers/sniff/sniff-archives.ts'
import type { TextKind } from '../../../parsers/sniff/sniff-text.ts'
import type { AdmissionLimits, AdmissionTexts } from '../../../platform/storage/admission.ts'

/** Number of files that may arrive at the same time. */
export const UPLOAD_LIMITS: AdmissionLimits = { perUser: 6, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** Messages for uploads that are refused for now. */
export function uploadWords({ perUser }: AdmissionLimits): AdmissionTexts {
  return {
    ofUser: { sentence: `Send at most ${perUser} files at the same time.`, code: 'too_many_uploads' },
    inAll: 'Too many files arrive right now. Try again in a moment.',
  }
}

type KnownFile = Exclude<SniffedFile, { mediaType: null }>

/** Accepted formats, as the drop zone lists them. */
const CHOICES =
  'Use JPG, PNG, BMP, TIFF, WebP, GIF, AVIF, HEIC, JPEG XL, DNG, CR2, CR3, NEF, ARW, MP4, AVI, MOV, MKV, WMV, FLV, WebM, MP3, WAV, M4A, FLAC, OGG, AAC, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, DOC, XLS, PPT, RTF, EPUB, HTML, EML, MSG, MBOX, ENEX, CSV or TXT.'

const ARCHIVE = 'ZIP files are imported, not uploaded: use Import.'

const IWORK =
  'This is a document of Pages, Numbers or Keynote. Export it there as PDF, or for Word, Excel or PowerPoint, and upload that.'

const NAMED_PAGE = 'It is kept when its name ends in .html or .htm.'

const words: Record<MediaType, string> = {
  image: 'a picture',
  video: 'a film',
  audio: 'a recording',
  document: 'a document',
}

/** Structured texts, which are only accepted under a text file's name. */
const textWords: Partial<Record<TextKind, string>> = {
  HTML: 'a web page (HTML)',
  SVG: 'a drawing (SVG)',
  XML: 'an XML file',
  playlist: 'a playlist',
  PostScript: 'a PostScript file',
}

/** Unstructured texts. */
const wordKinds: readonly TextKind[] = ['plain', 'headers', 'markup']

const textEndings = new Set<string>([
  ...fileFormats.txt.endings,
  ...fileFormats.txt.otherEndings,
  ...fileFormats.txt.silentEndings,
])

/** Extensions of both films and recordings; chapters of an audio book may have pictures. */
const mixedExtensions = new Set([
  ...[
    'mp4',
    'm4v',
    'm4a',
    'm4b',
    'mov',
    'mkv',
    'webm',
    'ogg',
    'ogv',
    'asf',
    'wmv',
    'wma',
    '3gp',
    '3g2',
    'mts',
    'm2ts',
    'mpg',
    'mpeg',
    'mpe',
    'vob',
    'm2t',
    'm4r',
    'mka',
    'weba',
    '3gpp',
    '3ga',
    'qt',
  ],
])
/** One page is a picture, several are a document. */
const pagedExtensions = new Set(['tif', 'tiff'])
const typesByExtension = new Map(
  mediaTypes.flatMap((mediaType) => acceptedEndingsOf(mediaType).map((ending) => [ending, mediaType] as const)),
)

/** Messages about unreadable documents, with what the user can do. */
const problemWords: Record<SniffedProblem, string> = {
  damaged: 'This document is damaged: it ends too early, or was changed on its way.',
  locked: 'This document is locked with a password. Save a copy without one and upload that.',
}
const problemCodes: Record<SniffedProblem, string> = { damaged: 'damaged_document', locked: 'encrypted_document' }

/** Type and format that an upload is stored with. */
interface KeptAs {
  mediaType: MediaType
  format: FileFormat
  contentType: string
}

/** Notes are text, whatever their content looks like. */
export const keptAsNote: KeptAs = { mediaType: 'document', format: 'txt', contentType: fileFormats.txt.contentType }

/**
 * Type of a file by its content; structured texts are recognised by content and name together, so that HTML is only a
 * page when its name says so.
 * @throws UnsupportedTypeError; ValidationError for a locked or damaged document.
 */
export function keptAs(sniffed: SniffedFile, name: string): KeptAs {
  if (sniffed.mediaType === null && sniffed.problem !== undefined) {
    throw new ValidationError(problemWords[sniffed.problem], { code: problemCodes[sniffed.problem] })
  }
  const read = sniffed.mediaType === null ? sniffed : asNamed(sniffed, extensionOf(name))
  const refusal = refusalOf(read, name)
  if (read.mediaType === null || refusal !== null) {
    throw new UnsupportedTypeError(refusal ?? 'This is not a file that can be read.')
  }
  return { mediaType: read.mediaType, format: read.format, contentType: read.contentType }
}

/** @throws PayloadTooLargeError for a picture or document beyond its parser's limit. */
export function requireSize(mediaType: MediaType, sizeBytes: number): void {
  if (mediaType === 'video' || mediaType === 'audio' || sizeBytes <= STILL_UPLOAD_MAX_BYTES) return
  const megabytes = STILL_UPLOAD_MAX_BYTES / 1024 ** 2
  throw new PayloadTooLargeError(
    `Pictures and documents may have ${megabytes} MB; only films and recordings may be larger.`,
    { code: 'still_too_large' },
  )
}

/** Checks the size by the type that the name claims, before any byte arrives. */
export function requireSizeOfNamed(name: string, sizeBytes: number): void {
  const extension = extensionOf(name)
  const claimed = typesByExtension.get(extension)
  if (claimed !== undefined && !mixedExtensions.has(extension)) requireSize(claimed, sizeBytes)
}

/** Format of a text by content and name; a name ending in .txt always means plain text. */
function asNamed(sniffed: KnownFile, extension: string): KnownFile {
  if (sniffed.text === undefined || extension === 'txt') return sniffed
  const format = formatOfText(sniffed.text, extension)
  return format === null ? sniffed : { mediaType: 'document', format, contentType: fileFormats[format].contentType }
}

function formatOfText(text: TextKind, extension: string): FileFormat | null {
  if (text === 'RTF') return 'rtf'
  if (text === 'notes' && !textEndings.has(extension)) return 'enex'
  if (text === 'workbook') return 'xls'
  if (text === 'mail' && !textEndings.has(extension)) return 'eml'
  if (text === 'headers' && extension === 'eml') return 'eml'
  if (text === 'mailbox' && !textEndings.has(extension)) return 'mbox'
  // a page may begin with plain text
  if (['html', 'htm'].includes(extension) && ['HTML', 'XML', ...wordKinds].includes(text)) return 'html'
  // programs call pages and tables like documents of Office, which opens them
  if (['doc', 'xls'].includes(extension) && ['HTML', 'markup'].includes(text)) return 'html'
  return ['csv', 'tsv', 'xls'].includes(extension) && wordKinds.includes(text) ? 'csv' : null
}

/**
 * Reason shown to the user why a file is refused; null when it's accepted. The content decides, but a name that claims
 * another media type is refused.
 */
function refusalOf(sniffed: SniffedFile, name: string): string | null {
  const extension = extensionOf(name)
  if (sniffed.mediaType === null) {
    if (sniffed.kind === 'iWork') return IWORK
    if (sniffed.kind === 'ZIP') return `${ARCHIVE} ${CHOICES}`
    const what = sniffed.kind === null ? 'is nothing that can be read' : `is of the type ${sniffed.kind}`
    return `This file ${what}. ${CHOICES}`
  }
  const kind = sniffed.text === undefined ? undefined : textWords[sniffed.text]
  if (sniffed.text === 'HTML' && extension !== 'txt') return `This file is ${kind}. ${NAMED_PAGE}`
  if (kind !== undefined && extension !== 'txt') return `This file is ${kind}, which cannot be kept. ${CHOICES}`
  if (claims(extension, sniffed.mediaType)) return null
  return `The name of this file ends in .${extension}, but it is ${kind ?? words[sniffed.mediaType]} (${sniffed.format.toUpperCase()}).`
}

function extensionOf(name: string): string {
  return /\.([^./\\]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''
}

/** True when the extension fits the media type; unknown extensions fit any. */
function claims(extension: string, mediaType: MediaType): boolean {
  if (mixedExtensions.has(extension)) return mediaType === 'video' || mediaType === 'audio'
  if (pagedExtensions.has(extension)) return mediaType === 'image' || mediaType === 'document'
  const claimed = typesByExtension.get(extension)
  return claimed === undefined || claimed === mediaType
}
