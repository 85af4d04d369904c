/** Limits of both implementations. */
export const avLimits = {
  /** Decoded pictures; a little over 8K. */
  maxPixels: 36_000_000,
  /** Longer stated lengths are implausible. */
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
  subtitlesTimeoutMs: 5 * 60_000,
  framesTimeoutMs: 15 * 60_000,
} as const

/** Time limit of a short film; others may take as long as they last. */
const MIN_PLAYBACK_MS = 10 * 60_000
/** Bound for files without a stated length, which may be endless. */
const UNTOLD_PLAYBACK_MS = 30 * 60_000

/** Time limit for making a playback copy. */
export function playbackTimeoutMs(durationSeconds: number | null): number {
  if (durationSeconds === null) return UNTOLD_PLAYBACK_MS
  return Math.max(MIN_PLAYBACK_MS, Math.min(durationSeconds, avLimits.maxPlaybackSeconds) * 1000)
}

/** No format that is read here has more in a row or column. */
const MAX_PIXELS_A_SIDE = 65_535

/** The size of moving pictures as they are shown, in pixels; null when none can have it, and so none are there. */
export function plausibleSize(size: { width: number; height: number }): { width: number; height: number } | null {
  return [size.width, size.height].every((side) => side >= 1 && side <= MAX_PIXELS_A_SIDE) ? size : null
}

/** Stated length of a file, when plausible. */
export function plausibleDuration(seconds: number | undefined): number | null {
  return seconds !== undefined && seconds > 0 && seconds <= avLimits.maxDurationSeconds ? seconds : null
}
