import { effectContentTypes, offeredEffectEndings } from '@mira/shared/constants/formats'
import { EFFECT_UPLOAD_MAX_BYTES, INTENSITY_MAX, INTENSITY_MIN, INTENSITY_STEP } from '@mira/shared/constants/limits'

/** Reason for rejecting a file. */
export type PictureRejection = 'type' | 'too-large'

/** Checks a file; null when it's accepted. */
export function rejectionOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): PictureRejection | null {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  const isKnown = ending === undefined ? effectContentTypes.includes(type) : offeredEffectEndings.includes(ending)
  if (!isKnown) return 'type'
  return size > EFFECT_UPLOAD_MAX_BYTES ? 'too-large' : null
}

/** An intensity as the slider has it: on a step, inside the range. */
export function asIntensity(value: number): number {
  const onStep = Math.round(value / INTENSITY_STEP) / Math.round(1 / INTENSITY_STEP)
  return Math.min(INTENSITY_MAX, Math.max(INTENSITY_MIN, onStep))
}
