/** What can be uploaded, by the endings of names (spec §5); the server judges by what is inside. */
export const endings = {
  image: ['jpg', 'jpeg', 'png', 'bmp', 'tiff', 'webp'],
  video: ['mp4', 'avi', 'mov', 'mkv', 'wmv', 'flv', 'webm'],
  audio: ['mp3', 'wav', 'm4a', 'flac', 'ogg', 'aac'],
  document: ['pdf', 'txt'],
} as const

/** Every ending, as messages name them. */
export const allEndings: readonly string[] = Object.values(endings).flat()

/** For files whose names have none of the endings, such as those that a phone or a clipboard makes. */
export const contentTypes = [
  'image/jpeg',
  'image/png',
  'image/bmp',
  'image/tiff',
  'image/webp',
  'video/mp4',
  'video/x-msvideo',
  'video/quicktime',
  'video/x-matroska',
  'video/x-ms-wmv',
  'video/x-flv',
  'video/webm',
  'audio/mpeg',
  'audio/wav',
  'audio/x-wav',
  'audio/mp4',
  'audio/x-m4a',
  'audio/flac',
  'audio/x-flac',
  'audio/ogg',
  'audio/aac',
  'application/pdf',
  'text/plain',
] as const

/** 100 MB (spec §9); an administrator can allow less. */
export const FILE_MAX_BYTES = 104_857_600
/** The server refuses an empty file. */
export const FILE_MIN_BYTES = 1
/** So many files wait at once; a whole disk that is dropped by accident is not taken. */
export const QUEUE_MAX_FILES = 2_000
/** So much of a text is shown with an entry (spec §2.8). */
export const PREVIEW_CHARACTERS = 100
