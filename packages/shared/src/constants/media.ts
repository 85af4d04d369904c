/** What a person can show. */
export const mediaTypes = ['image', 'video', 'audio', 'document'] as const
export type MediaType = (typeof mediaTypes)[number]

export const processingStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export type ProcessingStatus = (typeof processingStatuses)[number]

/** What is done with an item, in the order in which it begins; which of them depends on its type. */
export const processingSteps = [
  /** What it is: size, length, pages, tags, thumbnail. Without it nothing else is done. */
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

/** Where items come from that were not given as files: written here, or fetched from an address. */
export const mediaSourceKinds = ['note', 'page'] as const
export type MediaSourceKind = (typeof mediaSourceKinds)[number]

export const mediaSorts = ['newest', 'oldest', 'taken', 'name', 'largest', 'longest'] as const
export type MediaSort = (typeof mediaSorts)[number]

/** How large a picture is wanted: as it was given, for a screen (what every browser shows), or for a list. */
export const pictureSizes = ['original', 'preview', 'thumbnail'] as const
export type PictureSize = (typeof pictureSizes)[number]
