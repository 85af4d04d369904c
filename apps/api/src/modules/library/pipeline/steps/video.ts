import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, ValidationError } from '../../../../errors.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import type { Av, CutFrame } from '../../../../parsers/video/av.ts'
import { say } from '../../../../sentences.ts'
import {
  type ItemFacts,
  missingCapabilityReason,
  type NewMoment,
  type NewPart,
  type Part,
  type ProcessedItem,
  RunReplacedError,
  type Step,
  type StepContext,
  type Steps,
  stepUnless,
} from '../step.ts'
import { factsOfAv } from './av-facts.ts'
import type { Captions } from './caption.ts'
import type { EmbedSteps } from './embed.ts'
import { createFrameTexts, type FrameText, type OpenText } from './frame-texts.ts'
import type { Motions } from './motions.ts'
import { momentsOfRead, type Reader } from './read.ts'
import { chapterMoments, createSoundSteps, type SoundStepsDeps } from './sound-steps.ts'

export interface VideoStepsDeps extends SoundStepsDeps {
  pictures: PictureProcesses
  motions: Motions
  reader: Reader
  captions: Captions
  embedSteps: EmbedSteps
  limits?: Partial<VideoLimits> | undefined
}

interface VideoLimits {
  /** Frames of a long video read and captioned per turn, between which other items are processed. */
  framesInTurn: number
  captionsInTurn: number
}

const defaultLimits: VideoLimits = { framesInTurn: 50, captionsInTurn: 12 }

/** Maximum number of frames and captions per hour; the minimums apply to short videos. */
const FRAMES_PER_HOUR = 120
const CAPTIONS_PER_HOUR = 12
const MIN_MAX_FRAMES = 200
const MIN_MAX_CAPTIONS = 12
/** Maximum for any length: reading takes about a second each, captioning several. */
const MAX_FRAMES = 2000
const MAX_CAPTIONS = 200
/**
 * Maximum length of a video whose frames are extracted at once for reading: pictures of a longer one would fill the disk.
 */
const MAX_EXTRACTED_SECONDS = 600
/** Captions that are joined into the video's description. */
const SUMMARY_CAPTIONS = 3
const THUMBNAIL_SIDE = 512
/** Large enough to read small letters on a screen. */
const READING_SIDE = 1280
/** Length of the beginning of a video from which its poster is chosen. */
const POSTER_WITHIN_SECONDS = 90
const POSTER_CANDIDATES = 16
/** Below this, a frame is black, white or fog. */
const POSTER_MIN_CONTRAST = 10
/** Maximum difference between the times of a frame in two extractions. */
const SAME_FRAME_SECONDS = 0.4
/** Share of the progress taken by extracting frames. */
const EXTRACT_SHARE = 0.3
const NO_PICTURES = say('without_moving_pictures', {})

/** Steps for a video. */
export function createVideoSteps(deps: VideoStepsDeps): Steps['video'] {
  const { results, av, pictures, motions, reader, captions, embedSteps } = deps
  const limits = { ...defaultLimits, ...deps.limits }
  const { transcribe, playback: makePlayable } = createSoundSteps(deps)

  const extractFrames = async (
    { filename, format, scratch, signal }: StepContext,
    options: Pick<Parameters<Av['frames']>[1], 'longestSide' | 'max' | 'durationSeconds' | 'endSeconds' | 'onProgress'>,
  ) => {
    const folder = join(scratch, 'frames')
    await mkdir(folder)
    return av.frames({ filename, format }, { ...options, folder, signal })
  }

  const choosePoster = async (candidates: CutFrame[]): Promise<CutFrame | undefined> => {
    let best: { frame: CutFrame; contrast: number } | undefined
    for (const frame of candidates) {
      const contrast = await pictures.contrastOf(frame.filename)
      if (contrast >= POSTER_MIN_CONTRAST) return frame
      if (best === undefined || contrast > best.contrast) best = { frame, contrast }
    }
    return best?.frame
  }

  /** Joins the video with its picture into a live photo if it has one. @throws RunReplacedError when it was joined. */
  const endRunIfJoined = async (context: StepContext, details?: ItemFacts['details']) => {
    if (await motions.joinVideo(context, details)) throw new RunReplacedError('the video was joined with its picture')
  }

  const inspect: Step = async (context) => {
    const { item, filename, format, signal, progress } = context
    const info = await av.probe({ filename, format }, signal)
    if (info.video === null && info.audio === null) {
      const nothing = say('streams_missing', {})
      throw new ValidationError(nothing, { code: 'damaged_media' })
    }
    const facts = factsOfAv(info, format, item.originalFilename)
    const chapters = await results.replaceMoments(item, 'text', chapterMoments(info))
    await results.store(item, [results.updateFacts(item, facts), ...(info.chapters.length > 0 ? [chapters] : [])])
    await endRunIfJoined(context, facts.details)
    progress(0.2)
    const early = { max: POSTER_CANDIDATES, durationSeconds: info.durationSeconds, endSeconds: POSTER_WITHIN_SECONDS }
    const candidates = info.video ? await extractFrames(context, { longestSide: THUMBNAIL_SIDE, ...early }) : []
    progress(0.8)
    const poster = await choosePoster(candidates)
    if (poster === undefined) return { engine: null, model: null, facts }
    const thumbnail = await pictures.images.thumbnail(poster.filename)
    const thumbhash = await pictures.thumbhashOf(thumbnail.data)
    const copy = await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data })
    return { engine: null, model: null, facts: { ...facts, thumbhash }, findings: [copy] }
  }

  const frames: Step = async (context) => {
    const { item, progress } = context
    const cutFrames = await extractFrames(context, {
      longestSide: THUMBNAIL_SIDE,
      max: maxFrames(item),
      durationSeconds: item.durationSeconds,
      onProgress: (share) => progress(share * (1 - EXTRACT_SHARE)),
    })
    async function* parts(): AsyncGenerator<NewPart> {
      for (const [index, { filename, startSeconds }] of cutFrames.entries()) {
        yield { kind: 'frame', number: index + 1, startSeconds, thumbnail: await pictures.images.thumbnail(filename) }
        await rm(filename, { force: true })
        progress(1 - EXTRACT_SHARE + (EXTRACT_SHARE * (index + 1)) / cutFrames.length)
      }
    }
    await results.replaceParts(item, 'frame', parts())
    const facts = { framesCount: cutFrames.length }
    return { engine: null, model: null, facts, ...(cutFrames.length === 0 ? { skipped: NO_PICTURES } : {}) }
  }

  /**
   * Provides larger pictures of frames, whose thumbnails are too small to read. Each is only valid until the next is
   * requested.
   */
  const largePictures = async (context: StepContext): Promise<(part: Part) => Promise<string | undefined>> => {
    const { item, filename, format, scratch, signal, progress } = context
    if (isLong(item)) {
      const picture = join(scratch, 'frame.png')
      return async ({ startSeconds }) => {
        const options = { startSeconds: startSeconds ?? 0, filename: picture, longestSide: READING_SIDE, signal }
        return (await av.still({ filename, format }, options)) ? picture : undefined
      }
    }
    const large = await extractFrames(context, {
      longestSide: READING_SIDE,
      max: maxFrames(item),
      durationSeconds: item.durationSeconds,
      onProgress: (share) => progress(share * EXTRACT_SHARE),
    })
    return async (part) => nearest(large, part)?.filename
  }

  const read: Step = async (context) => {
    const { item, signal, progress } = context
    const { engine, model } = reader
    const parts = await results.parts(item, 'frame')
    const chapters = chapterMoments(await av.probe({ filename: context.filename, format: context.format }, signal))
    if (parts.length === 0) {
      const findings = [await results.replaceMoments(item, 'text', chapters)]
      return { engine: null, model: null, skipped: NO_PICTURES, findings }
    }
    const before = isLong(item) ? frameProgressOf(await results.checkpoint(item)) : noProgress
    const end = isLong(item) ? before.done + limits.framesInTurn : parts.length
    const largePictureOf = await largePictures(context)
    const texts = createFrameTexts(before.open)
    let { unreadable } = before
    for (const [index, part] of parts.entries()) {
      if (index < before.done || index >= end) continue
      try {
        const picture = await largePictureOf(part)
        if (picture === undefined) continue
        const readText = await reader.readPicture(picture, signal)
        await results.store(item, [results.setWords(item, 'frame', part.number, readText.words)])
        texts.add(part, readText)
      } catch (error) {
        if (!(error instanceof AppError && error.status === 422)) throw error
        unreadable++
      }
      progress(EXTRACT_SHARE + ((1 - EXTRACT_SHARE) * (index + 1)) / parts.length)
    }
    if (end < parts.length) {
      const checkpoint = { done: end, unreadable, open: texts.open() } satisfies FrameProgress
      await results.storeCheckpoint(item, checkpoint, texts.ended())
      return { engine, model, isUnfinished: true }
    }
    const earlier = before.done > 0 ? ((await results.earlierFindings(item)) as FrameText[]) : []
    const moments = [...earlier, ...texts.ranges(item.durationSeconds)].flatMap(
      ({ frameNumber, startSeconds, endSeconds, found }) =>
        momentsOfRead(found, { engine, model }, { frameNumber, startSeconds }).map((moment) => ({
          ...moment,
          endSeconds,
        })),
    )
    const findings = [await results.replaceMoments(item, 'text', [...chapters, ...moments])]
    const note = say('frames_unread', { count: unreadable })
    return { engine, model, findings, ...(unreadable > 0 ? { note } : {}) }
  }

  const caption: Step = async ({ item, language, signal, progress }) => {
    // Frames are at scene changes, and so are captions.
    const parts = evenlySpaced(await results.parts(item, 'frame'), maxCaptions(item))
    if (parts.length === 0) {
      const findings = [await results.replaceMoments(item, 'caption', [])]
      return { engine: null, model: null, skipped: NO_PICTURES, findings }
    }
    const doneCount = parts.length > limits.captionsInTurn ? captionedCountOf(await results.checkpoint(item)) : 0
    const end = doneCount + Math.max(limits.captionsInTurn, 1)
    const described: NewMoment[] = []
    let origin: Pick<NewMoment, 'engine' | 'model' | 'language'> | undefined
    for (const [index, part] of parts.entries()) {
      if (index < doneCount || index >= end) continue
      const { text: body, ...captionOrigin } = await captions.captionPicture(await results.readPart(part), {
        language,
        signal,
      })
      origin = captionOrigin
      const startSeconds = part.startSeconds ?? 0
      if (body !== '') described.push({ kind: 'caption', body, frameNumber: part.number, startSeconds, ...origin })
      progress((index + 1) / parts.length)
    }
    if (end < parts.length) {
      await results.storeCheckpoint(item, { done: end } satisfies CaptionProgress, described)
      return { engine: origin?.engine ?? null, model: origin?.model ?? null, isUnfinished: true }
    }
    const earlier = doneCount > 0 ? ((await results.earlierFindings(item)) as NewMoment[]) : []
    const moments = [...earlier, ...described]
    const bodies = new Set(evenlySpaced(moments, SUMMARY_CAPTIONS).map(({ body }) => body))
    const whole: NewMoment[] =
      origin && bodies.size > 0 ? [{ kind: 'caption', body: [...bodies].join(' '), ...origin }] : []
    const findings = [await results.replaceMoments(item, 'caption', [...whole, ...moments])]
    return { engine: origin?.engine ?? null, model: origin?.model ?? null, findings }
  }

  const playback: Step = async (context) => {
    // The video's picture may have been inspected in the meantime.
    await endRunIfJoined(context)
    return makePlayable(context)
  }

  return {
    inspect,
    frames,
    transcribe,
    read: stepUnless(() => missingCapabilityReason('ocr', reader.reasonOff()), read),
    caption: stepUnless(() => missingCapabilityReason('caption', captions.reasonOff()), caption),
    ...embedSteps,
    playback,
  }
}

interface Bounds {
  perHour: number
  /** Maximum for a video that is so short that `perHour` would allow less. */
  min: number
  /** Maximum for any length. */
  max: number
}

/** Maximum number for a video of this length. */
function maxForLength(
  { durationSeconds }: Pick<ProcessedItem, 'durationSeconds'>,
  { perHour, min, max }: Bounds,
): number {
  return Math.min(max, Math.max(min, Math.ceil(((durationSeconds ?? 0) / 3600) * perHour)))
}

function maxFrames(item: Pick<ProcessedItem, 'durationSeconds'>): number {
  return maxForLength(item, { perHour: FRAMES_PER_HOUR, min: MIN_MAX_FRAMES, max: MAX_FRAMES })
}

function maxCaptions(item: Pick<ProcessedItem, 'durationSeconds'>): number {
  return maxForLength(item, { perHour: CAPTIONS_PER_HOUR, min: MIN_MAX_CAPTIONS, max: MAX_CAPTIONS })
}

const isLong = ({ durationSeconds }: Pick<ProcessedItem, 'durationSeconds'>) =>
  durationSeconds !== null && durationSeconds > MAX_EXTRACTED_SECONDS

/** Progress of reading a long video's frames, with the text that may continue in the next frame. */
interface FrameProgress {
  done: number
  unreadable: number
  open: OpenText | null
}

const noProgress: FrameProgress = { done: 0, unreadable: 0, open: null }

function frameProgressOf(checkpoint: unknown): FrameProgress {
  const before = checkpoint as FrameProgress | null
  return before !== null && typeof before.done === 'number' && typeof before.open === 'object' ? before : noProgress
}

/** Progress of captioning frames. */
interface CaptionProgress {
  done: number
}

function captionedCountOf(checkpoint: unknown): number {
  const before = checkpoint as CaptionProgress | null
  return before !== null && typeof before.done === 'number' ? before.done : 0
}

/** At most `max` items, evenly spaced from the first to the last. */
function evenlySpaced<Item>(items: Item[], max: number): Item[] {
  if (items.length <= max) return items
  return Array.from({ length: max }, (_, index) => items[Math.round((index * (items.length - 1)) / (max - 1))] as Item)
}

function nearest(frames: CutFrame[], { startSeconds }: Part): CutFrame | undefined {
  const distance = (frame: CutFrame) => Math.abs(frame.startSeconds - (startSeconds ?? 0))
  const [first, ...others] = frames
  if (first === undefined) return undefined
  const best = others.reduce((near, frame) => (distance(frame) < distance(near) ? frame : near), first)
  return distance(best) <= SAME_FRAME_SECONDS ? best : undefined
}
