import type { WideLight } from './av.ts'
import { avLimits } from './av-limits.ts'

const SCENE_CHANGE = 0.3
const MIN_APART_SECONDS = 0.5
const INTERVAL_SECONDS = 4
/** Frames of a long film from which one is kept. */
const CANDIDATES_FOR_EACH = 3
/** Longer films are looked at by their key frames alone. */
const WHOLE_FILM_SECONDS = 600

/** Rules for choosing frames of a film. */
export interface FramePlan {
  /** A change of scene sooner than this after the last frame is passed over. */
  apartSeconds: number
  /** A frame comes at the latest after this. */
  intervalSeconds: number
  /** Only what decodes without its neighbours is decoded. */
  isKeyFramesOnly: boolean
  /** Bound on the frames; those of a long film are candidates. */
  max: number
}

/**
 * Selects at most `most` frames across the whole film; for a long one a few times as many candidates at scene changes, of
 * which the largest changes are kept.
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
  const isLong = span > WHOLE_FILM_SECONDS
  return {
    apartSeconds: Math.max(MIN_APART_SECONDS, isLong ? share / CANDIDATES_FOR_EACH : share),
    intervalSeconds: Math.max(INTERVAL_SECONDS, share),
    isKeyFramesOnly: isLong,
    max: isLong ? max * CANDIDATES_FOR_EACH : max,
  }
}

/**
 * True when the key frames of a film are so rare that frames chosen among them leave out too much.
 * @param startSeconds start times of the chosen frames.
 */
export function leavesGaps(startSeconds: number[], durationSeconds: number | null, plan: FramePlan): boolean {
  if (durationSeconds === null || !plan.isKeyFramesOnly || startSeconds.length >= plan.max) return false
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

/** FFmpeg filter that shrinks pictures into a square, with square pixels and even sides. */
export function fitFilter(longestSide: number): string {
  const ratio = `min(1,${longestSide}/max(iw*sar,ih))`
  const side = (length: string) => `'max(2,trunc(${length}*${ratio}/2)*2)'`
  return `scale=w=${side('iw*sar')}:h=${side('ih')},setsar=1`
}

/** Tolerance: times of frames are rounded to thousandths. */
const ROUNDED_SECONDS = 0.002
/** Frames are decoded before display, and an index may have decoding times, or lack the first frames. */
const SEEK_MARGIN_SECONDS = 0.25

/** Decoding start for a frame, and the earliest time that the frame may have. */
export function planStill(startSeconds: number): { seekSeconds: number; fromSeconds: number } {
  const fromSeconds = Math.max(0, startSeconds - ROUNDED_SECONDS)
  return { seekSeconds: Math.max(0, fromSeconds - SEEK_MARGIN_SECONDS), fromSeconds }
}

/** FFmpeg's filters that make a picture of a frame in true colours. */
export function stillFilters(longestSide: number = avLimits.stillLongestSide, light?: WideLight): string[] {
  return [fitFilter(longestSide), ...plainLightFilters(light), 'format=rgb24']
}

/** FFmpeg filters that convert to JPEG's colours, as large films use another matrix. */
export const jpegFilters = ['scale=out_color_matrix=bt601:out_range=full', 'format=yuvj420p']

const curves = { pq: 'smpte2084', hlg: 'arib-std-b67', wide: 'bt2020-10' } as const
/** Reference white in candela; brighter values are compressed. */
const WHITE = 203

/** FFmpeg's filters that give pictures the light and colours of every screen. */
export function plainLightFilters(light: WideLight | undefined): string[] {
  if (light === undefined) return []
  const inputColours = `tin=${curves[light]}:pin=bt2020:min=bt2020nc:rin=limited`
  if (light === 'wide') return [`zscale=${inputColours}:t=bt709:p=bt709:m=bt709:r=limited`, 'format=yuv420p']
  return [
    `zscale=${inputColours}:t=linear:npl=${WHITE}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=tonemap=mobius:param=0.6:desat=0',
    'zscale=t=bt709:m=bt709:r=limited',
    'format=yuv420p',
  ]
}
