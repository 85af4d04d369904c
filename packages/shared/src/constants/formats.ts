import type { MediaType, PageKind } from './media.ts'

/** Facts about a file format. */
interface FormatFacts {
  mediaType: MediaType
  contentType: string
  /** Aliases used by browsers and devices. */
  otherContentTypes?: readonly string[]
  /** File name endings shown to users, the usual one first; empty for a format accepted but not advertised. */
  endings: readonly string[]
  /** Endings that file pickers also offer, without being shown to users. */
  otherEndings?: readonly string[]
  /** Endings that are accepted but not offered. */
  silentEndings?: readonly string[]
  /** Kind of the document's parts; left out when it has a single part. */
  parts?: PageKind
  /** Accepted by the effects studio. */
  isEffectSource?: true
  /** Displayed as a converted copy because not every browser supports it. */
  isShownAsCopy?: true
}

/** Endings of machine-readable text files, calendars and address books, which are stored as plain text. */
const sourceEndings = [
  ...['markdown', 'log', 'yaml', 'yml', 'toml', 'ini', 'tex', 'srt', 'vtt', 'ass', 'ssa', 'sbv'],
  ...['text', 'org', 'rst', 'ics', 'ifb', 'vcf', 'ipynb', 'geojson', 'jsonl'],
  ...['py', 'js', 'mjs', 'ts', 'tsx', 'jsx', 'java', 'c', 'h', 'cpp', 'hpp', 'cs', 'go', 'rs', 'rb', 'php', 'sh'],
  ...['sql', 'swift', 'kt', 'lua', 'r', 'css'],
] as const
/** Phone and camera formats that no browser fully supports; the server decodes them. */
const convertedPicture = { isEffectSource: true, isShownAsCopy: true } as const

/** Accepted formats by usual file name ending, in the order shown to users. */
export const fileFormats = {
  jpg: {
    mediaType: 'image',
    contentType: 'image/jpeg',
    endings: ['jpg', 'jpeg'],
    silentEndings: ['jpe', 'jfif'],
    isEffectSource: true,
  },
  png: {
    mediaType: 'image',
    contentType: 'image/png',
    endings: ['png'],
    silentEndings: ['apng'],
    isEffectSource: true,
  },
  bmp: { mediaType: 'image', contentType: 'image/bmp', endings: ['bmp'], isEffectSource: true, isShownAsCopy: true },
  tif: { mediaType: 'image', contentType: 'image/tiff', endings: ['tiff'], otherEndings: ['tif'], isShownAsCopy: true },
  webp: { mediaType: 'image', contentType: 'image/webp', endings: ['webp'], isEffectSource: true },
  gif: { mediaType: 'image', contentType: 'image/gif', endings: [], otherEndings: ['gif'] },
  avif: { mediaType: 'image', contentType: 'image/avif', endings: [], otherEndings: ['avif'] },
  heic: {
    mediaType: 'image',
    contentType: 'image/heic',
    otherContentTypes: ['image/heif', 'image/heic-sequence', 'image/heif-sequence'],
    endings: [],
    otherEndings: ['heic', 'heif', 'hif'],
    ...convertedPicture,
  },
  jxl: { mediaType: 'image', contentType: 'image/jxl', endings: [], otherEndings: ['jxl'], ...convertedPicture },
  dng: {
    mediaType: 'image',
    contentType: 'image/x-adobe-dng',
    endings: [],
    otherEndings: ['dng'],
    ...convertedPicture,
  },
  cr2: {
    mediaType: 'image',
    contentType: 'image/x-canon-cr2',
    endings: [],
    otherEndings: ['cr2'],
    ...convertedPicture,
  },
  cr3: {
    mediaType: 'image',
    contentType: 'image/x-canon-cr3',
    endings: [],
    otherEndings: ['cr3'],
    ...convertedPicture,
  },
  nef: {
    mediaType: 'image',
    contentType: 'image/x-nikon-nef',
    endings: [],
    otherEndings: ['nef'],
    ...convertedPicture,
  },
  arw: { mediaType: 'image', contentType: 'image/x-sony-arw', endings: [], otherEndings: ['arw'], ...convertedPicture },
  mp4: {
    mediaType: 'video',
    contentType: 'video/mp4',
    otherContentTypes: ['video/x-m4v'],
    endings: ['mp4'],
    otherEndings: ['m4v'],
  },
  avi: { mediaType: 'video', contentType: 'video/x-msvideo', endings: ['avi'], silentEndings: ['divx'] },
  mov: { mediaType: 'video', contentType: 'video/quicktime', endings: ['mov'], silentEndings: ['qt'] },
  mkv: { mediaType: 'video', contentType: 'video/x-matroska', endings: ['mkv'], silentEndings: ['mka'] },
  asf: { mediaType: 'video', contentType: 'video/x-ms-wmv', endings: ['wmv'], silentEndings: ['asf', 'wma'] },
  flv: { mediaType: 'video', contentType: 'video/x-flv', endings: ['flv'] },
  webm: { mediaType: 'video', contentType: 'video/webm', endings: ['webm'], silentEndings: ['weba'] },
  '3gp': {
    mediaType: 'video',
    contentType: 'video/3gpp',
    endings: [],
    otherEndings: ['3gp'],
    silentEndings: ['3gpp', '3ga'],
  },
  '3g2': { mediaType: 'video', contentType: 'video/3gpp2', endings: [], otherEndings: ['3g2'] },
  mts: {
    mediaType: 'video',
    contentType: 'video/mp2t',
    endings: [],
    otherEndings: ['mts', 'm2ts'],
    silentEndings: ['m2t'],
  },
  mpg: {
    mediaType: 'video',
    contentType: 'video/mpeg',
    endings: [],
    otherEndings: ['mpg', 'mpeg'],
    silentEndings: ['mpe', 'vob'],
  },
  m1v: { mediaType: 'video', contentType: 'video/mpeg', endings: [], silentEndings: ['m1v', 'm2v'] },
  mp3: { mediaType: 'audio', contentType: 'audio/mpeg', endings: ['mp3'], silentEndings: ['mp2', 'mpga'] },
  wav: {
    mediaType: 'audio',
    contentType: 'audio/wav',
    otherContentTypes: ['audio/x-wav'],
    endings: ['wav'],
    silentEndings: ['wave', 'bwf'],
  },
  m4a: {
    mediaType: 'audio',
    contentType: 'audio/mp4',
    otherContentTypes: ['audio/x-m4a'],
    endings: ['m4a'],
    otherEndings: ['m4b'],
    silentEndings: ['m4r'],
  },
  flac: { mediaType: 'audio', contentType: 'audio/flac', otherContentTypes: ['audio/x-flac'], endings: ['flac'] },
  ogg: {
    mediaType: 'audio',
    contentType: 'audio/ogg',
    endings: ['ogg'],
    otherEndings: ['opus'],
    silentEndings: ['oga', 'ogv', 'spx'],
  },
  aac: { mediaType: 'audio', contentType: 'audio/aac', endings: ['aac'] },
  aif: {
    mediaType: 'audio',
    contentType: 'audio/aiff',
    otherContentTypes: ['audio/x-aiff'],
    endings: [],
    otherEndings: ['aif', 'aiff'],
    silentEndings: ['aifc'],
  },
  caf: { mediaType: 'audio', contentType: 'audio/x-caf', endings: [], otherEndings: ['caf'] },
  amr: { mediaType: 'audio', contentType: 'audio/amr', endings: [], otherEndings: ['amr'] },
  pdf: { mediaType: 'document', contentType: 'application/pdf', endings: ['pdf'], parts: 'page' },
  txt: {
    mediaType: 'document',
    contentType: 'text/plain',
    otherContentTypes: ['text/markdown', 'application/json', 'text/calendar', 'text/vcard', 'text/x-vcard'],
    endings: ['txt'],
    otherEndings: ['md', 'json'],
    silentEndings: sourceEndings,
  },
  csv: { mediaType: 'document', contentType: 'text/csv', endings: [], otherEndings: ['csv'], silentEndings: ['tsv'] },
  docx: {
    mediaType: 'document',
    endings: [],
    otherEndings: ['docx'],
    silentEndings: ['docm', 'dotx'],
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  },
  xlsx: {
    mediaType: 'document',
    endings: [],
    otherEndings: ['xlsx'],
    silentEndings: ['xlsm', 'xltx'],
    parts: 'sheet',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  pptx: {
    mediaType: 'document',
    endings: [],
    otherEndings: ['pptx'],
    silentEndings: ['pptm', 'ppsx'],
    parts: 'slide',
    contentType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  },
  odt: {
    mediaType: 'document',
    endings: [],
    otherEndings: ['odt'],
    contentType: 'application/vnd.oasis.opendocument.text',
  },
  ods: {
    mediaType: 'document',
    endings: [],
    otherEndings: ['ods'],
    parts: 'sheet',
    contentType: 'application/vnd.oasis.opendocument.spreadsheet',
  },
  odp: {
    mediaType: 'document',
    endings: [],
    otherEndings: ['odp'],
    parts: 'slide',
    contentType: 'application/vnd.oasis.opendocument.presentation',
  },
  doc: {
    mediaType: 'document',
    contentType: 'application/msword',
    endings: [],
    otherEndings: ['doc'],
    silentEndings: ['dot'],
  },
  xls: {
    mediaType: 'document',
    contentType: 'application/vnd.ms-excel',
    endings: [],
    otherEndings: ['xls'],
    silentEndings: ['xlt', 'xlsb'],
    parts: 'sheet',
  },
  ppt: {
    mediaType: 'document',
    contentType: 'application/vnd.ms-powerpoint',
    endings: [],
    otherEndings: ['ppt'],
    silentEndings: ['pps'],
    parts: 'slide',
  },
  rtf: {
    mediaType: 'document',
    contentType: 'application/rtf',
    otherContentTypes: ['text/rtf'],
    endings: [],
    otherEndings: ['rtf'],
  },
  epub: {
    mediaType: 'document',
    contentType: 'application/epub+zip',
    endings: [],
    otherEndings: ['epub'],
    parts: 'chapter',
  },
  html: { mediaType: 'document', contentType: 'text/html', endings: [], otherEndings: ['html', 'htm'] },
  eml: {
    mediaType: 'document',
    contentType: 'message/rfc822',
    endings: [],
    otherEndings: ['eml', 'emlx'],
    silentEndings: ['mht', 'mhtml'],
  },
  msg: {
    mediaType: 'document',
    contentType: 'application/vnd.ms-outlook',
    endings: [],
    otherEndings: ['msg'],
  },
  mbox: {
    mediaType: 'document',
    contentType: 'application/mbox',
    endings: [],
    otherEndings: ['mbox'],
    parts: 'message',
  },
  enex: {
    mediaType: 'document',
    contentType: 'application/enex+xml',
    endings: [],
    otherEndings: ['enex'],
    parts: 'note',
  },
} as const satisfies Record<string, FormatFacts>

export type FileFormat = keyof typeof fileFormats

/** Documents other than PDFs and plain text, which are read part by part. */
export const documentFormats = [
  ...['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'doc', 'xls', 'ppt', 'rtf'],
  ...['epub', 'html', 'eml', 'msg', 'mbox', 'enex', 'csv'],
] as const satisfies readonly FileFormat[]
export type DocumentFormat = (typeof documentFormats)[number]

const formats: readonly FormatFacts[] = Object.values(fileFormats)
/** Media types of silent endings that differ from their format's: a container can have video or only audio. */
const silentEndingTypes: Partial<Record<string, MediaType>> = {
  mka: 'audio',
  wma: 'audio',
  weba: 'audio',
  '3ga': 'audio',
  ogv: 'video',
}

/** Endings of both a video (an MPEG transport stream) and a text (TypeScript). */
export const videoOrTextEndings: ReadonlySet<string> = new Set(['ts', 'mts'])

/** File name endings shown to users, for some media types. */
export function extensionsOf(...types: MediaType[]): string[] {
  return formats.filter(({ mediaType }) => types.includes(mediaType)).flatMap(({ endings }) => endings)
}

/** File name endings that file pickers offer: those shown to users, and the `otherEndings`. */
export function offeredExtensionsOf(...types: MediaType[]): string[] {
  return formats
    .filter(({ mediaType }) => types.includes(mediaType))
    .flatMap(({ endings, otherEndings = [] }) => [...endings, ...otherEndings])
}

/** All accepted file name endings: the offered and the silent ones. */
export function acceptedExtensionsOf(...types: MediaType[]): string[] {
  const silent = formats.flatMap(({ mediaType, silentEndings = [] }) =>
    silentEndings.filter((ending) => types.includes(silentEndingTypes[ending] ?? mediaType)),
  )
  return [...offeredExtensionsOf(...types), ...silent]
}

/** Kind of a document's parts, by content type. */
export function partKindOf(contentType: string): PageKind {
  return formats.find((format) => format.contentType === contentType)?.parts ?? 'page'
}

/** Content types that file pickers accept when a name has none of the endings. */
export const uploadContentTypes: readonly string[] = formats
  .filter(({ endings, otherEndings = [] }) => endings.length + otherEndings.length > 0)
  .flatMap(({ contentType, otherContentTypes = [] }) => [contentType, ...otherContentTypes])

const effectSources = formats.filter(({ isEffectSource }) => isEffectSource)
export const effectExtensions: readonly string[] = effectSources.flatMap(({ endings }) => endings)
/** Endings for the effects studio that file pickers offer: those shown to users, and the `otherEndings`. */
export const offeredEffectExtensions: readonly string[] = effectSources.flatMap(({ endings, otherEndings = [] }) => [
  ...endings,
  ...otherEndings,
])
/** All accepted endings for the effects studio: the offered and the silent ones. */
export const acceptedEffectExtensions: readonly string[] = [
  ...offeredEffectExtensions,
  ...effectSources.flatMap(({ silentEndings = [] }) => silentEndings),
]
export const effectContentTypes: readonly string[] = effectSources.flatMap(
  ({ contentType, otherContentTypes = [] }) => [contentType, ...otherContentTypes],
)

const shownAsCopies = new Set(
  formats.filter(({ isShownAsCopy }) => isShownAsCopy).map(({ contentType }) => contentType),
)

/** True when not every browser shows this type, so that a converted copy is displayed. */
export function isShownAsCopy(contentType: string): boolean {
  return shownAsCopies.has(contentType)
}

/** Readable picture formats. */
export type ImageFormat =
  | 'jpeg'
  | 'png'
  | 'webp'
  | 'gif'
  | 'avif'
  | 'tiff'
  | 'bmp'
  | 'heic'
  | 'jxl'
  | 'dng'
  | 'cr2'
  | 'cr3'
  | 'nef'
  | 'arw'

/** Download formats of pictures made by effects. */
export const downloadFormats = ['png', 'webp', 'jpeg', 'avif'] as const
export type DownloadFormat = (typeof downloadFormats)[number]
