import {
  acceptedExtensionsOf,
  type FileFormat,
  fileFormats,
  type MediaType,
  mediaTypes,
  PICTURE_OR_DOCUMENT_MAX_BYTES,
  videoOrTextEndings,
} from '@mira/shared'
import { PayloadTooLargeError, UnsupportedTypeError, ValidationError } from '../../../errors.ts'
import type { SniffedFile } from '../../../parsers/sniff/sniff.ts'
import type { SniffedProblem } from '../../../parsers/sniff/sniff-archives.ts'
import type { TextKind } from '../../../parsers/sniff/sniff-text.ts'
import type { AdmissionLimits, AdmissionTexts } from '../../../platform/storage/admission.ts'
import { type Sentence, say, sayAll } from '../../../sentences.ts'

/** Limits on files being received at the same time. */
export const UPLOAD_LIMITS: AdmissionLimits = { perUser: 6, total: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** Messages for uploads that are refused temporarily. */
export function uploadLimitTexts({ perUser }: AdmissionLimits): AdmissionTexts {
  return {
    perUser: { sentence: `Send at most ${perUser} files at the same time.`, code: 'too_many_uploads' },
    total: 'Too many files are being received right now. Try again in a moment.',
  }
}

type KnownFile = Exclude<SniffedFile, { mediaType: null }>

/** Accepted formats, as listed at the drop zone. */
const ACCEPTED_FORMATS =
  'JPG, PNG, BMP, TIFF, WebP, GIF, AVIF, HEIC, JPEG XL, DNG, CR2, CR3, NEF, ARW, MP4, AVI, MOV, MKV, WMV, FLV, WebM, MP3, WAV, M4A, FLAC, OGG, AAC, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, DOC, XLS, PPT, RTF, EPUB, HTML, EML, MSG, MBOX, ENEX, CSV, TXT'

const formats = () => say('upload_formats', { formats: ACCEPTED_FORMATS })

/** Structured texts, which are refused unless their name ends in .txt or makes an HTML page of them. */
const refusedTexts: readonly TextKind[] = ['HTML', 'SVG', 'XML', 'playlist', 'PostScript']

/** Kinds of unstructured text. */
const plainKinds: readonly TextKind[] = ['plain', 'headers', 'markup']

/** Endings of texts that also end other names, such as a website's in that of a screenshot. */
const looseEndings = new Set(['org', 'text'])

/** Endings that make a text of mails and notes; some mail programs save mails as .text. */
const textEndings = new Set<string>(
  [...fileFormats.txt.endings, ...fileFormats.txt.otherEndings, ...fileFormats.txt.silentEndings].filter(
    (ending) => !looseEndings.has(ending),
  ),
)

/** Extensions of both videos and recordings; an audio book's chapters may have pictures. */
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
/** Extensions of pictures with pages: a single page is a picture, several are a document. */
const pagedExtensions = new Set(['tif', 'tiff'])
const typesByExtension = new Map(
  mediaTypes.flatMap((mediaType) => acceptedExtensionsOf(mediaType).map((ending) => [ending, mediaType] as const)),
)

/** Messages about unreadable documents, with advice. */
const problemSentences: Record<SniffedProblem, Sentence> = {
  damaged: say('upload_damaged', {}),
  locked: say('upload_locked', {}),
}
const problemCodes: Record<SniffedProblem, string> = { damaged: 'damaged_document', locked: 'encrypted_document' }

/** Type and format that an upload is stored with. */
interface StoredType {
  mediaType: MediaType
  format: FileFormat
  contentType: string
}

/** Notes are text, regardless of their content. */
export const noteType: StoredType = { mediaType: 'document', format: 'txt', contentType: fileFormats.txt.contentType }

/**
 * Type of a file by its content; structured texts are recognised by content and name together, so that HTML is only a
 * page when its name says so.
 * @throws UnsupportedTypeError; ValidationError for a locked or damaged document.
 */
export function storedTypeOf(sniffed: SniffedFile, name: string): StoredType {
  if (sniffed.mediaType === null && sniffed.problem !== undefined) {
    throw new ValidationError(problemSentences[sniffed.problem], { code: problemCodes[sniffed.problem] })
  }
  const file = sniffed.mediaType === null ? sniffed : asNamed(sniffed, extensionOf(name))
  const refusal = refusalOf(file, name)
  if (file.mediaType === null || refusal !== null) {
    throw new UnsupportedTypeError(refusal ?? say('upload_unreadable', {}))
  }
  return { mediaType: file.mediaType, format: file.format, contentType: file.contentType }
}

/** @throws PayloadTooLargeError for a picture or document beyond its parser's limit. */
export function requireSize(mediaType: MediaType, sizeBytes: number): void {
  if (mediaType === 'video' || mediaType === 'audio' || sizeBytes <= PICTURE_OR_DOCUMENT_MAX_BYTES) return
  const megabytes = PICTURE_OR_DOCUMENT_MAX_BYTES / 1024 ** 2
  throw new PayloadTooLargeError(say('upload_too_large', { megabytes }), { code: 'still_too_large' })
}

/** Checks the size by the type that the name implies, before any byte arrives. */
export function requireSizeByName(name: string, sizeBytes: number): void {
  const extension = extensionOf(name)
  const claimed = typesByExtension.get(extension)
  const isCertain = ![mixedExtensions, videoOrTextEndings, looseEndings].some((endings) => endings.has(extension))
  if (claimed !== undefined && isCertain) requireSize(claimed, sizeBytes)
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
  // A page may begin with plain text.
  if (['html', 'htm'].includes(extension) && ['HTML', 'XML', ...plainKinds].includes(text)) return 'html'
  // Some programs export HTML pages and tables under names of Office documents, since Office opens them.
  if (['doc', 'xls'].includes(extension) && ['HTML', 'markup'].includes(text)) return 'html'
  return ['csv', 'tsv', 'xls'].includes(extension) && plainKinds.includes(text) ? 'csv' : null
}

/**
 * Reason shown to the user why a file is refused; null when it's accepted. The content decides, but a name that claims
 * another media type is refused.
 */
function refusalOf(sniffed: SniffedFile, name: string): Sentence | null {
  const extension = extensionOf(name)
  if (sniffed.mediaType === null) {
    const { kind } = sniffed
    if (kind === 'iWork') return say('upload_iwork', {})
    if (kind === 'ZIP') return sayAll(say('upload_archive', {}), formats())
    return sayAll(kind === null ? say('upload_unreadable', {}) : say('upload_type', { kind }), formats())
  }
  const { text, mediaType, format } = sniffed
  if (text !== undefined && refusedTexts.includes(text) && extension !== 'txt') {
    return text === 'HTML'
      ? say('upload_page', {})
      : sayAll(say('upload_text', { kind: text.toLowerCase() }), formats())
  }
  if (extensionFits(extension, mediaType)) return null
  return say('upload_mismatch', { ending: extension, kind: mediaType, format: format.toUpperCase() })
}

function extensionOf(name: string): string {
  return /\.([^./\\]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''
}

/** True when the extension fits the media type; unknown extensions fit any. */
function extensionFits(extension: string, mediaType: MediaType): boolean {
  if (looseEndings.has(extension)) return true
  if (videoOrTextEndings.has(extension)) return mediaType !== 'image'
  if (mixedExtensions.has(extension)) return mediaType === 'video' || mediaType === 'audio'
  if (pagedExtensions.has(extension)) return mediaType === 'image' || mediaType === 'document'
  const claimed = typesByExtension.get(extension)
  return claimed === undefined || claimed === mediaType
}
