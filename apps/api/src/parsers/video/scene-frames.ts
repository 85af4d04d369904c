import { rm } from 'node:fs/promises'
import sharp from 'sharp'
import { avLimits, type CutFrame, type WideColour } from './av.ts'

const SIDE = 16
/**
 * Differences (0 to 255) above which two frames aren't alike: on average, and in the block that differs most, where a line
 * of text may have appeared or disappeared.
 */
const MAX_MEAN_DIFFERENCE = 1.5
const MAX_BLOCK_DIFFERENCE = 8

/** `change` is the mean difference from the previously kept frame, 0 to 255; infinite for the first frame. */
interface ChangedFrame extends CutFrame {
  change: number
}

/**
 * Drops frames similar to the previous one, then those that differ least, down to `max`, and removes their files.
 * The budgets of frames and captions by length are in `modules/library/pipeline/steps/video.ts`.
 */
export async function selectInformative(frames: CutFrame[], max: number, signal: AbortSignal): Promise<CutFrame[]> {
  const distinctFrames: ChangedFrame[] = []
  let last: Uint8Array | undefined
  for (const frame of frames) {
    signal.throwIfAborted()
    const tiny = await tinyPicture(frame.filename)
    if (last && areAlike(last, tiny)) {
      await rm(frame.filename, { force: true })
      continue
    }
    distinctFrames.push({
      ...frame,
      change: last === undefined ? Number.POSITIVE_INFINITY : meanDifference(last, tiny),
    })
    last = tiny
  }
  const selection = new Set(selectByChange(distinctFrames, max))
  for (const frame of distinctFrames) if (!selection.has(frame)) await rm(frame.filename, { force: true })
  return [...selection].map(({ filename, startSeconds }) => ({ filename, startSeconds }))
}

/**
 * Frames with the largest changes, in order. For half of them, the largest change of each of several equal stretches of the
 * video is taken, so that no part is left out; the others may be from anywhere.
 */
export function selectByChange<Frame extends { startSeconds: number; change: number }>(
  frames: Frame[],
  max: number,
): Frame[] {
  if (frames.length <= max) return frames
  const length = (frames.at(-1)?.startSeconds ?? 0) + 1
  const stretches = Math.ceil(max / 2)
  const stretchOf = ({ startSeconds }: Frame) => Math.floor((startSeconds / length) * stretches)
  const byChange = frames.toSorted((one, other) => other.change - one.change || one.startSeconds - other.startSeconds)
  const framesByStretch = [...Map.groupBy(byChange, stretchOf).values()]
  const selection = new Set(framesByStretch.flatMap((stretchFrames) => stretchFrames.slice(0, 1)))
  for (const frame of byChange) {
    if (selection.size >= max) break
    selection.add(frame)
  }
  return frames.filter((frame) => selection.has(frame))
}

/** A picture as 16 × 16 shades of grey. */
async function tinyPicture(source: string | Uint8Array): Promise<Uint8Array> {
  return sharp(source).resize(SIDE, SIDE, { fit: 'fill' }).greyscale().raw().toBuffer()
}

/** True when two tiny pictures show the same thing. */
function areAlike(one: Uint8Array, other: Uint8Array): boolean {
  for (let index = 0; index < one.length; index++) {
    if (Math.abs((one[index] ?? 0) - (other[index] ?? 0)) > MAX_BLOCK_DIFFERENCE) return false
  }
  return meanDifference(one, other) <= MAX_MEAN_DIFFERENCE
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length
}

/**
 * Contrast of a picture: the deviation of its parts from their average. Of two uniform pictures, the lighter one has
 * slightly more.
 */
export async function contrastOf(filename: string): Promise<number> {
  const tiny = await tinyPicture(filename)
  const mean = tiny.reduce((sum, value) => sum + value, 0) / tiny.length
  const spread = Math.sqrt(tiny.reduce((sum, value) => sum + (value - mean) ** 2, 0) / tiny.length)
  return spread + mean / 255
}

const SCENE_CHANGE = 0.3
const MIN_APART_SECONDS = 0.5
const INTERVAL_SECONDS = 4
/** Candidates extracted for each frame that is kept of a long video. */
const CANDIDATES_FOR_EACH = 3
/** Only the key frames of longer videos are examined. */
const WHOLE_VIDEO_SECONDS = 600

/** Rules for choosing frames of a video. */
export interface FramePlan {
  /** Scene changes sooner than this after the last frame are skipped. */
  apartSeconds: number
  /** Maximum distance between frames. */
  intervalSeconds: number
  /** Decodes only frames that don't depend on their neighbours. */
  isKeyFramesOnly: boolean
  /** Maximum number of frames; for a long video, of candidates. */
  max: number
}

/**
 * Plan for at most `max` frames across the whole video. For a long video, it selects a few times as many candidates at scene
 * changes, of which those with the largest changes are then kept.
 */
export function planFrames({
  durationSeconds,
  endSeconds = Number.POSITIVE_INFINITY,
  max,
}: {
  durationSeconds: number | null
  endSeconds?: number | undefined
  max: number
}): FramePlan {
  const span = Math.min(durationSeconds ?? 0, endSeconds)
  const share = span / Math.max(1, max - 1)
  const isLong = span > WHOLE_VIDEO_SECONDS
  return {
    apartSeconds: Math.max(MIN_APART_SECONDS, isLong ? share / CANDIDATES_FOR_EACH : share),
    intervalSeconds: Math.max(INTERVAL_SECONDS, share),
    isKeyFramesOnly: isLong,
    max: isLong ? max * CANDIDATES_FOR_EACH : max,
  }
}

/**
 * True when the key frames of a video are so rare that frames chosen among them leave out too much.
 * @param startSeconds start times of the chosen frames.
 */
export function leavesGaps(startSeconds: number[], durationSeconds: number | null, plan: FramePlan): boolean {
  if (durationSeconds === null || !plan.isKeyFramesOnly || startSeconds.length >= plan.max) return false
  const bounds = [0, ...startSeconds, durationSeconds]
  const largest = Math.max(...bounds.slice(1).map((start, n) => start - (bounds[n] ?? 0)))
  return largest > Math.max(60, 4 * plan.intervalSeconds)
}

/** FFmpeg filter that selects the frames of a plan. */
export function selectFilter({ apartSeconds, intervalSeconds }: FramePlan): string {
  const [apart, interval] = [apartSeconds, intervalSeconds].map((seconds) => seconds.toFixed(3))
  const since = 't-prev_selected_t'
  return `select='isnan(prev_selected_t)+gt(scene,${SCENE_CHANGE})*gte(${since},${apart})+gte(${since},${interval})'`
}

/** FFmpeg filter that shrinks pictures to fit into a square, with square pixels and even sides. */
export function fitFilter(longestSide: number): string {
  const ratio = `min(1,${longestSide}/max(iw*sar,ih))`
  const side = (length: string) => `'max(2,trunc(${length}*${ratio}/2)*2)'`
  return `scale=w=${side('iw*sar')}:h=${side('ih')},setsar=1`
}

/** Tolerance for the times of frames, which are rounded to thousandths. */
const ROUNDED_SECONDS = 0.002
/** Decoding starts this much earlier: a file's index may contain decoding times, which precede display times, or lack frames. */
const SEEK_MARGIN_SECONDS = 0.25

/** Time from which to decode in order to find the frame at a given time, and the earliest time that this frame may have. */
export function stillSeekTimes(startSeconds: number): { seekSeconds: number; fromSeconds: number } {
  const fromSeconds = Math.max(0, startSeconds - ROUNDED_SECONDS)
  return { seekSeconds: Math.max(0, fromSeconds - SEEK_MARGIN_SECONDS), fromSeconds }
}

/** FFmpeg filters that convert a frame to RGB, no larger than `longestSide`. */
export function stillFilters(longestSide: number = avLimits.stillLongestSide, wideColour?: WideColour): string[] {
  return [fitFilter(longestSide), ...standardColourFilters(wideColour), 'format=rgb24']
}

/** FFmpeg filters that convert to JPEG's colours, as large videos use another matrix. */
export const jpegFilters = ['scale=out_color_matrix=bt601:out_range=full', 'format=yuvj420p']

const curves = { pq: 'smpte2084', hlg: 'arib-std-b67', wide: 'bt2020-10' } as const
/** Reference white in candela; brighter values are compressed. */
const WHITE = 203

/** FFmpeg filters that convert frames to the brightness and colours of standard screens. */
export function standardColourFilters(wideColour: WideColour | undefined): string[] {
  if (wideColour === undefined) return []
  const inputColours = `tin=${curves[wideColour]}:pin=bt2020:min=bt2020nc:rin=limited`
  if (wideColour === 'wide') return [`zscale=${inputColours}:t=bt709:p=bt709:m=bt709:r=limited`, 'format=yuv420p']
  return [
    `zscale=${inputColours}:t=linear:npl=${WHITE}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=tonemap=mobius:param=0.6:desat=0',
    'zscale=t=bt709:m=bt709:r=limited',
    'format=yuv420p',
  ]
}
