import {
  type CodedSentence,
  isShownAsCopy,
  type MediaItem,
  type ProcessingStatus,
  type ProcessingStep,
} from '@mira/shared'
import type { ShownItem } from './library.store.ts'

/** Signs a path of the API for loading without a token. */
export type SignPath = (userId: string, path: string) => string

/** An item as in the contract. @param queuePosition in the user's queue; undefined when it isn't waiting. */
export function presentItem(item: ShownItem, signPath: SignPath, queuePosition?: number): MediaItem {
  const signedPathOf = (file: string) => signPath(item.userId, `/api/media/${item.id}/${file}`)
  const isReadablePicture = item.mediaType === 'image' && !isUnreadable(item)
  const hasCopy = (kind: ShownItem['copies'][number]['kind']) => item.copies.some((copy) => copy.kind === kind)
  const text = shownText(item.extractedText)
  return {
    id: item.id,
    media_type: item.mediaType,
    content: item.mediaType === 'document' ? text : null,
    caption: shownText(item.caption),
    extracted_text: text,
    transcription: shownText(item.transcription),
    thumbnail: isReadablePicture || hasCopy('thumbnail') ? signedPathOf('thumbnail') : null,
    url: signedPathOf('file'),
    preview_url: isReadablePicture || hasCopy('preview') || isPlayable(item) ? signedPathOf('preview') : null,
    ...(isReadablePicture &&
      (hasCopy('motion') || hasCopy('motion_preview')) && {
        motion: { url: signedPathOf('motion'), film_url: hasCopy('motion') ? signedPathOf('film') : null },
      }),
    duration: item.durationSeconds,
    timestamp: item.takenAt ?? item.createdAt,
    frames_count: item.framesCount,
    metadata: {
      original_filename: item.originalFilename,
      content_type: item.contentType,
      size_bytes: item.sizeBytes,
      sha256: item.sha256,
      width: item.width,
      height: item.height,
      pages: item.pageCount,
      taken_at: item.takenAt,
      taken_local: item.takenLocal,
      corrected: item.corrected,
      camera: item.camera,
      latitude: item.latitude,
      longitude: item.longitude,
      created_at: item.createdAt,
      source: sourceOf(item),
      details: item.details,
    },
    thumbhash: item.thumbhash,
    ...(item.mediaType === 'audio' && { waveform: outlineWaveform(item.waveform) }),
    tags: item.tags,
    engines: Object.fromEntries(
      item.steps.flatMap(({ name, engine, model, status }) =>
        engine === null || status !== 'completed' ? [] : [[name, { engine, model }]],
      ),
    ),
    processing_status: item.processingStatus,
    processing_steps: item.steps.map(presentStep),
    ...(queuePosition !== undefined && { queue_position: queuePosition }),
    error: item.error,
    ...codedError(item.error, item.errorSentences),
  }
}

function sourceOf({ sourceKind, sourceUrl, details }: ShownItem): MediaItem['metadata']['source'] {
  if (sourceKind === null) return null
  return { kind: sourceKind, url: sourceUrl, title: typeof details.title === 'string' ? details.title : null }
}

/** True when a video or recording has no copy because every browser plays the original. */
export function isPlayable({ mediaType, steps, copies }: ShownItem): boolean {
  if (mediaType !== 'video' && mediaType !== 'audio') return false
  const playback = steps.find(({ name }) => name === 'playback')
  return playback?.status === 'skipped' && !copies.some(({ kind }) => kind === 'preview')
}

/** True when inspecting the file found it damaged, or without anything to show. */
function isUnreadable({ steps }: ShownItem): boolean {
  return steps.some(({ name, status }) => name === 'inspect' && status === 'failed')
}

/** True when an inspected picture has no copy because every browser shows the original. */
export function isShownAsOriginal({ mediaType, contentType, steps }: ShownItem): boolean {
  const inspect = steps.find(({ name }) => name === 'inspect')
  return mediaType === 'image' && inspect?.status === 'completed' && !isShownAsCopy(contentType)
}

/** True when nothing more happens to the item unless the user acts. */
export function isDone(status: ProcessingStatus): boolean {
  return status === 'completed' || status === 'failed'
}

export function presentStep({
  name,
  status,
  progress,
  engine,
  error,
  errorSentences,
}: Omit<ShownItem['steps'][number], 'model'>): ProcessingStep {
  return { name, status, progress, engine, error, ...codedError(error, errorSentences) }
}

function codedError(error: string | null, sentences: CodedSentence[]) {
  return error === null || sentences.length === 0 ? {} : { error_told: sentences }
}

/** A text to show; null for a blank one, which the user has emptied. */
function shownText(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text
}

/** Number of levels of a waveform in lists. */
const OUTLINE_LEVELS = 48
const ROUNDING = 100

/** Parses stored loudness: numbers from 0 to 1, or base64 bytes with 255 as the loudest. */
export function readWaveform(stored: unknown): number[] {
  if (Array.isArray(stored)) return stored.filter((level) => typeof level === 'number')
  return typeof stored === 'string' ? [...Buffer.from(stored, 'base64')].map((byte) => byte / 255) : []
}

/** Loudness in few levels, each the loudest of its stretch, for lists. */
function outlineWaveform(stored: unknown): number[] {
  const levels = readWaveform(stored)
  if (levels.length === 0) return []
  return Array.from({ length: OUTLINE_LEVELS }, (_, part) => {
    const from = Math.floor((part * levels.length) / OUTLINE_LEVELS)
    const to = Math.max(from + 1, Math.floor(((part + 1) * levels.length) / OUTLINE_LEVELS))
    return Math.round(Math.max(...levels.slice(from, to)) * ROUNDING) / ROUNDING
  })
}
