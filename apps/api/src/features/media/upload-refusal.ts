import type { MediaType } from '@mira/shared'
import type { SniffedFile } from '../../adapters/media/sniff/sniff.ts'

/** What can be kept, in the words of the drop zone. */
const CHOICES =
  'Use JPG, PNG, BMP, TIFF, WebP, MP4, AVI, MOV, MKV, WMV, FLV, WebM, MP3, WAV, M4A, FLAC, OGG, AAC, PDF or TXT.'

const words: Record<MediaType, string> = {
  image: 'a picture',
  video: 'a film',
  audio: 'a recording',
  document: 'a document',
}

/** Texts that are more than words: they are kept when their name says that they are meant as texts. */
const textWords: Record<string, string> = {
  HTML: 'a web page (HTML)',
  SVG: 'a drawing (SVG)',
  XML: 'an XML file',
  playlist: 'a playlist',
  RTF: 'an RTF document',
  PostScript: 'a PostScript file',
}

/** Types whose files may be named like films or recordings alike. */
const mixedExtensions = new Set(['mp4', 'm4v', 'mov', 'mkv', 'webm', 'ogg', 'ogv', 'asf', 'wmv', 'wma'])
const typesByExtension: Record<string, MediaType> = {
  ...Object.fromEntries(
    ['jpg', 'jpeg', 'png', 'bmp', 'tif', 'tiff', 'webp', 'gif', 'avif'].map((one) => [one, 'image']),
  ),
  ...Object.fromEntries(['avi', 'flv'].map((one) => [one, 'video'])),
  ...Object.fromEntries(['mp3', 'wav', 'm4a', 'm4b', 'flac', 'aac', 'oga', 'opus'].map((one) => [one, 'audio'])),
  ...Object.fromEntries(['pdf', 'txt'].map((one) => [one, 'document'])),
}

/**
 * Why a file is not taken, for a person; null when it is. Content decides, but a name that claims another type of file
 * makes it a lie.
 */
export function refusalOf(sniffed: SniffedFile, name: string): string | null {
  const extension = /\.([^./\\]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''
  if (sniffed.mediaType === null) {
    const what = sniffed.kind === null ? 'is nothing that can be read' : `is of the type ${sniffed.kind}`
    return `This file ${what}. ${CHOICES}`
  }
  const kind = sniffed.text !== undefined && sniffed.text !== 'plain' ? textWords[sniffed.text] : undefined
  if (kind !== undefined && extension !== 'txt') return `This file is ${kind}, which cannot be kept. ${CHOICES}`
  if (claims(extension, sniffed.mediaType)) return null
  return `The name of this file ends in .${extension}, but it is ${kind ?? words[sniffed.mediaType]} (${sniffed.format.toUpperCase()}).`
}

/** Whether a file of this type may be named so; what is no name of any type claims nothing. */
function claims(extension: string, mediaType: MediaType): boolean {
  if (mixedExtensions.has(extension)) return mediaType === 'video' || mediaType === 'audio'
  const claimed = Object.hasOwn(typesByExtension, extension) ? typesByExtension[extension] : undefined
  return claimed === undefined || claimed === mediaType
}
