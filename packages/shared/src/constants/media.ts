export const mediaTypes = ['image', 'video', 'audio', 'document'] as const
export type MediaType = (typeof mediaTypes)[number]

export const processingStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export type ProcessingStatus = (typeof processingStatuses)[number]

/** Processing steps in order of execution; an item's type decides which apply. */
export const processingSteps = [
  /** Size, length, pages, tags and thumbnail. Every other step needs it. */
  'inspect',
  'frames',
  'pages',
  'read',
  'caption',
  'transcribe',
  'playback',
  'embed',
  'look',
] as const
export type ProcessingStepName = (typeof processingSteps)[number]

/** Sources of items that weren't uploaded as files: notes written here, pages fetched from an address. */
export const mediaSourceKinds = ['note', 'page'] as const
export type MediaSourceKind = (typeof mediaSourceKinds)[number]

/** Facts of an item that can come from the person instead of the file. */
export const correctedFacts = ['taken_at', 'place'] as const
export type CorrectedFact = (typeof correctedFacts)[number]

export const mediaSorts = ['newest', 'oldest', 'taken', 'name', 'largest', 'longest'] as const
export type MediaSort = (typeof mediaSorts)[number]

/** Size of a picture: as uploaded, for a screen (in a format every browser shows), or for a list. */
export const pictureSizes = ['original', 'preview', 'thumbnail'] as const
export type PictureSize = (typeof pictureSizes)[number]
