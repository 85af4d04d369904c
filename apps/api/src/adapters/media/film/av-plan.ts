/** What both implementations keep to. */
export const avLimits = {
  /** Decoded pictures; a little over 8K. */
  maxPixels: 36_000_000,
  /** A length beyond this is a lie of the file. */
  maxDurationSeconds: 30 * 24 * 3600,
  /** Longest sound that is transcribed; 1.4 GB as a WAV. */
  maxSoundSeconds: 12 * 3600,
  maxPlaybackBytes: 2_000_000_000,
  maxPlaybackSeconds: 6 * 3600,
  maxCoverBytes: 20_000_000,
  maxStreams: 100,
  threads: 2,
  /** JPEG quality as FFmpeg counts: 2 is best, 31 worst. */
  frameQuality: 3,
  stillLongestSide: 4096,
  playbackLongestSide: 1280,
  playbackFramesPerSecond: 30,
  probeTimeoutMs: 60_000,
  stillTimeoutMs: 60_000,
  motionTimeoutMs: 60_000,
  soundTimeoutMs: 15 * 60_000,
  framesTimeoutMs: 15 * 60_000,
} as const

const SCENE_CHANGE = 0.3
const LEAST_APART_SECONDS = 0.5
const INTERVAL_SECONDS = 4
/** Frames of a long film from which one is kept. */
const CANDIDATES_FOR_EACH = 3
/** Longer films are looked at by their key frames alone. */
const WHOLE_FILM_SECONDS = 600
/** A film that a person watches needs as long as it is at most, and a short one this. */
const LEAST_PLAYBACK_MS = 10 * 60_000
/** A file that does not tell its length may be endless. */
const UNTOLD_PLAYBACK_MS = 30 * 60_000

/** How frames of a film are chosen. */
export interface FramePlan {
  /** A change of scene sooner than this after the last frame is passed over. */
  apartSeconds: number
  /** A frame comes at the latest after this. */
  intervalSeconds: number
  /** Only what decodes without its neighbours is decoded. */
  isKeyFramesOnly: boolean
  /** So many come at most; those of a long film are candidates. */
  most: number
}

/**
 * Chooses so that not more than `most` frames come and that they are spread over the whole film; of a long one come a few
 * times as many wherever the scene changes, out of which those are kept at which most changes.
 */
export function planFrames({
  durationSeconds,
  endSeconds = Number.POSITIVE_INFINITY,
  most,
}: {
  durationSeconds: number | null
  endSeconds?: number | undefined
  most: number
}): FramePlan {
  const span = Math.min(durationSeconds ?? 0, endSeconds)
  const share = span / Math.max(1, most - 1)
  const isLong = span > WHOLE_FILM_SECONDS
  return {
    apartSeconds: Math.max(LEAST_APART_SECONDS, isLong ? share / CANDIDATES_FOR_EACH : share),
    intervalSeconds: Math.max(INTERVAL_SECONDS, share),
    isKeyFramesOnly: isLong,
    most: isLong ? most * CANDIDATES_FOR_EACH : most,
  }
}

/**
 * Whether the key frames of a film are so rare that frames chosen among them leave out too much of it.
 * @param startSeconds of the frames that were chosen.
 */
export function leavesGaps(startSeconds: number[], durationSeconds: number | null, plan: FramePlan): boolean {
  if (durationSeconds === null || !plan.isKeyFramesOnly || startSeconds.length >= plan.most) return false
  const bounds = [0, ...startSeconds, durationSeconds]
  const largest = Math.max(...bounds.slice(1).map((start, n) => start - (bounds[n] ?? 0)))
  return largest > Math.max(60, 4 * plan.intervalSeconds)
}

/** FFmpeg's filter that lets the chosen frames through. */
export function selectFilter({ apartSeconds, intervalSeconds }: FramePlan): string {
  const [apart, interval] = [apartSeconds, intervalSeconds].map((seconds) => seconds.toFixed(3))
  const since = 't-prev_selected_t'
  return `select='isnan(prev_selected_t)+gt(scene,${SCENE_CHANGE})*gte(${since},${apart})+gte(${since},${interval})'`
}

/** FFmpeg's filter that fits pictures into a square, with square pixels and even sides; none is made larger. */
export function fitFilter(longestSide: number): string {
  const ratio = `min(1,${longestSide}/max(iw*sar,ih))`
  const side = (length: string) => `'max(2,trunc(${length}*${ratio}/2)*2)'`
  return `scale=w=${side('iw*sar')}:h=${side('ih')},setsar=1`
}

/** What is told of a frame is rounded to thousandths. */
const ROUNDED_SECONDS = 0.002
/** Pictures are decoded before they are shown, and an index may tell when they are decoded, or lack the first ones. */
const SEEK_MARGIN_SECONDS = 0.25

/** Where to look for a frame: from where on a film is decoded, and the earliest time that the frame may have. */
export function planStill(startSeconds: number): { seekSeconds: number; fromSeconds: number } {
  const fromSeconds = Math.max(0, startSeconds - ROUNDED_SECONDS)
  return { seekSeconds: Math.max(0, fromSeconds - SEEK_MARGIN_SECONDS), fromSeconds }
}

/** FFmpeg's filters that make a picture of a frame in true colours. */
export function stillFilters(longestSide: number = avLimits.stillLongestSide): string[] {
  return [fitFilter(longestSide), 'format=rgb24']
}

/** How long making a copy to play may take. */
export function playbackTimeoutMs(durationSeconds: number | null): number {
  if (durationSeconds === null) return UNTOLD_PLAYBACK_MS
  return Math.max(LEAST_PLAYBACK_MS, Math.min(durationSeconds, avLimits.maxPlaybackSeconds) * 1000)
}

/** No format that is read here has more in a row or column. */
const MOST_PIXELS_A_SIDE = 65_535

/** The size of moving pictures as they are shown, in pixels; null when none can have it, and so none are there. */
export function plausibleSize(size: { width: number; height: number }): { width: number; height: number } | null {
  return [size.width, size.height].every((side) => side >= 1 && side <= MOST_PIXELS_A_SIDE) ? size : null
}

/** A length as a file tells it, when it can be true. */
export function plausibleDuration(seconds: number | undefined): number | null {
  return seconds !== undefined && seconds > 0 && seconds <= avLimits.maxDurationSeconds ? seconds : null
}
