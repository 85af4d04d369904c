import type { EffectCategory } from '@mira/shared'
import type { AdmissionLimits, AdmissionTexts } from '../../../platform/storage/admission.ts'

/** Limits on pictures received and processed at the same time, so that one user leaves capacity for others. */
export const EFFECT_LIMITS: AdmissionLimits = { perUser: 3, total: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** Size of the quick preview before an effect is applied, in pixels. */
export const PREVIEW_LONGEST_SIDE = 320

/** Messages for users who reach the limits. */
export const effectLimitTexts: AdmissionTexts = {
  perUser: { sentence: `Process at most ${EFFECT_LIMITS.perUser} pictures at a time.`, code: 'busy' },
  total: 'Too many pictures are being processed right now. Try again in a moment.',
}

/** Pixels: red, green, blue and straight alpha, 8 bits each, row after row. */
export interface Raster {
  width: number
  height: number
  data: Uint8ClampedArray
}

/** A band of a picture, and its location in it. */
export interface EffectInput {
  band: Raster
  /** Row of the whole picture at which the band starts. */
  top: number
  fullWidth: number
  fullHeight: number
  /** 0.1 to 2.0; at 1.0 the effect looks as its name promises. */
  intensity: number
  /** A thousandth of the picture's size in pixels. Strokes and dots are measured in it, so that a preview looks like the result. */
  unit: number
  /** Result of `prepare` for the whole picture. */
  prepared: unknown
}

/**
 * An effect: a pure function of pixels and intensity. It never changes alpha, and the same picture gives the same bytes in
 * any number of bands.
 */
export interface EffectKind {
  displayName: string
  description: string
  category: EffectCategory
  /** Number of rows above and below a band that the effect reads; 'whole' when the picture can't be cut into bands. */
  reach(intensity: number, unit: number): number | 'whole'
  /** Analyses the whole picture once, before its bands; the result must survive structured cloning. */
  prepare?(whole: Raster, intensity: number, unit: number): unknown
  /** New pixels of the band, of the same size. */
  render(input: EffectInput): Uint8ClampedArray
}

/** Unit of a picture, with a minimum that keeps strokes visible in small pictures. */
export function unitOf(width: number, height: number): number {
  return Math.max(0.35, Math.sqrt(width * height) / 1000)
}
