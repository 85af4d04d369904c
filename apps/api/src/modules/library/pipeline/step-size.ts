import type { ProcessingStepName } from '@mira/shared'
import type { MediaItemRow } from '../items/media.store.ts'

type SizedItem = Pick<MediaItemRow, 'mediaType' | 'sizeBytes' | 'durationSeconds' | 'pageCount'>

/** Anything shorter and smaller takes a minute or two. */
const SHORT_SECONDS = 120
const SHORT_BYTES = 50_000_000
const SHORT_PAGES = 30

/** Longer items have more texts and pictures than one turn embeds. */
const MANY_SECONDS = 3_600
const MANY_PAGES = 300
/** Texts and pictures embedded per turn: a local model takes up to a minute. */
export const TEXTS_IN_TURN = 1_000
export const PICTURES_IN_TURN = 200

const grows = new Set<ProcessingStepName>(['frames', 'transcribe', 'read', 'caption'])

/**
 * True when a step may take so long that other items shouldn't wait for it. Playback copies always count: nothing else
 * of the item waits for them, and a file's stated length may be wrong.
 */
export function isLongStep(item: SizedItem, name: ProcessingStepName): boolean {
  const { mediaType, sizeBytes, durationSeconds, pageCount } = item
  if (name === 'embed' || name === 'look') return (durationSeconds ?? 0) > MANY_SECONDS || (pageCount ?? 0) > MANY_PAGES
  if (mediaType === 'document') return (name === 'read' || name === 'pages') && (pageCount ?? 0) > SHORT_PAGES
  if (mediaType === 'image') return false
  if (name === 'playback') return true
  return grows.has(name) && (durationSeconds === null || durationSeconds > SHORT_SECONDS || sizeBytes > SHORT_BYTES)
}

/** Texts of this size are read in some hundredths of a second. */
const QUICK_TEXT_BYTES = 1_000_000

type TypedItem = SizedItem & Pick<MediaItemRow, 'contentType'>

const isSmallText = ({ mediaType, contentType, sizeBytes }: TypedItem) =>
  mediaType === 'document' && contentType === 'text/plain' && sizeBytes <= QUICK_TEXT_BYTES

/** True when running the step is quicker than giving way to others and resuming the item. */
export function isQuickStep(item: TypedItem, name: ProcessingStepName): boolean {
  return name === 'embed' || (name === 'read' && isSmallText(item))
}

/**
 * True when a step needs no permit of the semaphore: pictures and the films in them wait for processes of their own,
 * and small texts cost nothing.
 */
export function isFreeStep(item: TypedItem, name: ProcessingStepName): boolean {
  return name === 'inspect' ? item.mediaType === 'image' || isSmallText(item) : name === 'read' && isSmallText(item)
}

/** So much of a long film or recording is written down in one turn; then others have theirs. */
export const STRETCH_SECONDS = 900

/** Disk space always left for the database and uploads. */
const KEPT_FREE_BYTES = 500_000_000
/** With less than this left, what writes much is ended: files lie about their length. */
export const MIN_FREE_BYTES = 250_000_000
const SOUND_BYTES_PER_SECOND = 32_000
/** By how much sound may be larger than a file that does not tell how long it is. */
const SOUND_PER_BYTE = 16
const MAX_SOUND_BYTES = 1_400_000_000
const FILM_BYTES_PER_SECOND = 400_000
const MAX_COPY_BYTES = 2_000_000_000

/** The film of a picture has some seconds. */
export const MAX_MOTION_SECONDS = 30

/** Disk space needed to extract a picture's film or convert it for playback. */
export const roomForMotion = (filmBytes: number): number =>
  KEPT_FREE_BYTES + 2 * (filmBytes + MAX_MOTION_SECONDS * FILM_BYTES_PER_SECOND)

/** Disk space needed before a step that writes much, including the space to keep free; null for other steps. */
export function roomForStep(item: SizedItem, name: ProcessingStepName): number | null {
  const { mediaType, sizeBytes, durationSeconds } = item
  if (mediaType !== 'video' && mediaType !== 'audio') return null
  if (name === 'transcribe' || (name === 'inspect' && mediaType === 'audio')) {
    // what is said in a long one is written down a stretch at a time
    const isInStretches = name === 'transcribe' && (durationSeconds ?? 0) > STRETCH_SECONDS
    const seconds = isInStretches ? STRETCH_SECONDS : durationSeconds
    const sound = seconds === null ? sizeBytes * SOUND_PER_BYTE : seconds * SOUND_BYTES_PER_SECOND
    return KEPT_FREE_BYTES + Math.min(MAX_SOUND_BYTES, sound)
  }
  if (name !== 'playback') return null
  const perSecond = mediaType === 'video' ? FILM_BYTES_PER_SECOND : SOUND_BYTES_PER_SECOND
  const copy = durationSeconds === null ? sizeBytes : durationSeconds * perSecond
  // it is made, and copied to where it is kept
  return KEPT_FREE_BYTES + 2 * Math.min(MAX_COPY_BYTES, copy)
}
