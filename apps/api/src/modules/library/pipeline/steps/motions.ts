import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isPermanent, NotFoundError, StorageFullError, sentenceOf, ValidationError } from '../../../../errors.ts'
import { formatOfFile } from '../../../../parsers/sniff/sniff.ts'
import type { Av, AvFile } from '../../../../parsers/video/av.ts'
import type { Events } from '../../../../platform/events/events.service.ts'
import type { Files } from '../../../../platform/storage/files.ts'
import { say } from '../../../../sentences.ts'
import { KEPT_FREE_BYTES, VIDEO_BYTES_PER_SECOND } from '../plan.ts'
import type { Results } from '../results.ts'
import type { Finding, ItemFacts, StepContext, StepOutcome } from '../step.ts'
import { isPlayable } from './av-facts.ts'
import { MAX_MOTION_SECONDS, type MotionPair, type MotionsStore } from './motions.store.ts'

interface MotionsDeps {
  results: Results
  av: Av
  store: MotionsStore
  files: Files
  events: Events
}

/** Findings that store a picture's video, and a note when it can't be shown. */
type Motion = Pick<StepOutcome, 'note'> & { findings: Finding[] }

export type Motions = ReturnType<typeof createMotions>

const NO_MOTION: Motion = { findings: [] }
/** Anything larger isn't a video of a few seconds. */
const MAX_MOTION_BYTES = 100_000_000
/** Disk space needed to extract a picture's video or convert it for playback. */
const spaceForMotion = (videoBytes: number): number =>
  KEPT_FREE_BYTES + 2 * (videoBytes + MAX_MOTION_SECONDS * VIDEO_BYTES_PER_SECOND)
const UNPLAYABLE = say('motion_unplayed', {})

const isDiskFull = (error: unknown): error is StorageFullError => error instanceof StorageFullError

/** Videos of a few seconds that phones take with pictures, in the same file or in a separate one. */
export function createMotions({ results, av, store, files, events }: MotionsDeps) {
  /** Protects the database from a full disk. */
  const requireSpace = async (videoBytes: number) => {
    if ((await files.freeBytes()) >= spaceForMotion(videoBytes)) return
    throw new StorageFullError(say('disk_too_full', {}))
  }

  /**
   * Playable copy; null when browsers play the original.
   * @throws ValidationError for a video that's too long or of unknown length.
   */
  const playableOf = async (video: AvFile, { scratch, signal }: Pick<StepContext, 'scratch' | 'signal'>) => {
    const { durationSeconds, ...info } = await av.probe(video, signal)
    if (isPlayable(video.format, { durationSeconds, ...info })) return null
    if (durationSeconds === null || durationSeconds > MAX_MOTION_SECONDS) throw new ValidationError(UNPLAYABLE)
    await requireSpace((await stat(video.filename)).size)
    const filename = join(scratch, 'motion-copy.mp4')
    await av.playback(video, { kind: 'video', filename, durationSeconds, isMotion: true, signal })
    return filename
  }

  /** Playable copy of a separate video; undefined for an unreadable one, which stays an item with its own error. */
  const playableOfSeparate = (playable: Promise<string | null>, signal: AbortSignal) =>
    playable.catch((error: unknown) => {
      if (signal.aborted || !(isPermanent(error) || error instanceof NotFoundError || isDiskFull(error))) throw error
      return undefined
    })

  const storePlayable = (item: StepContext['item'], filename: string) =>
    results.setCopy(item, 'motion_preview', { content: createReadStream(filename), contentType: 'video/mp4' })

  /** Joins picture and video into one item. @returns true when they were joined. */
  const joinPair = async (item: StepContext['item'], pair: MotionPair, copy: string | null): Promise<boolean> => {
    const { pictureId, videoId } = pair
    const findings = copy === null ? [] : [await storePlayable({ ...item, id: pictureId }, copy)]
    let isJoined = false
    try {
      isJoined = await store.join(pair, findings)
    } finally {
      if (!isJoined) await results.release(findings)
    }
    if (!isJoined) return false
    events.publish(item.userId, { type: 'media.updated', ids: [videoId], deleted: true })
    events.publish(item.userId, { type: 'media.updated', ids: [pictureId] })
    return true
  }

  /** Video inside a picture's file. */
  const embeddedMotion = async (context: StepContext, start: number): Promise<Motion> => {
    const { item, filename, scratch } = context
    const motionVideo = join(scratch, 'motion.mp4')
    const bytes = item.sizeBytes - start
    if (bytes > MAX_MOTION_BYTES) return { ...NO_MOTION, note: UNPLAYABLE }
    try {
      await requireSpace(bytes)
      await pipeline(createReadStream(filename, { start }), createWriteStream(motionVideo))
      const copy = (await playableOf({ filename: motionVideo, format: 'mp4' }, context)) ?? motionVideo
      return { findings: [await storePlayable(item, copy)] }
    } catch (error) {
      // A picture without its video is better than a failed step.
      if (isDiskFull(error)) return { ...NO_MOTION, note: sentenceOf(error) }
      if (!isPermanent(error)) throw error
      return { ...NO_MOTION, note: UNPLAYABLE }
    }
  }

  /** Joins a picture with its video, which is still a separate item. */
  const joinPicture = async (context: StepContext, pair: MotionPair): Promise<void> => {
    const playable = files.useLocal(pair.videoPath, async (filename) =>
      playableOf({ filename, format: (await formatOfFile(filename)) ?? 'mov' }, context),
    )
    const copy = await playableOfSeparate(playable, context.signal)
    if (copy !== undefined) await joinPair(context.item, pair, copy)
  }

  return {
    /**
     * Finds the video of a picture, and joins them when it's a separate item.
     * @param facts the picture's metadata, which isn't stored yet.
     * @param start byte offset of a video inside the picture's file; null for none.
     */
    async ofPicture(context: StepContext, facts: ItemFacts, start: number | null): Promise<Motion> {
      const { item } = context
      if (start !== null) return embeddedMotion(context, start)
      const pair = await store.pairOfPicture(item, facts)
      if (pair !== null) await joinPicture(context, pair)
      return NO_MOTION
    },

    /** Joins a video, whose facts are stored, with its picture. @returns true when they were joined. */
    async joinVideo(context: StepContext, details: ItemFacts['details'] = {}): Promise<boolean> {
      const { item, filename, format } = context
      const pair = await store.pairOfVideo({ ...item, details: { ...(item.details as object), ...details } })
      if (pair === null) return false
      const copy = await playableOfSeparate(playableOf({ filename, format }, context), context.signal)
      return copy !== undefined && joinPair(item, pair, copy)
    },
  }
}
