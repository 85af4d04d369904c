/** File name endings that the studio takes (spec §5). */
export const acceptedEndings: readonly string[] = ['jpg', 'jpeg', 'png', 'bmp', 'webp']
/** The media types of those, for files that come without a name, as pasted ones do. */
export const acceptedTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/bmp', 'image/webp']
/** The largest picture that is taken (spec §5). */
export const PICTURE_MAX_BYTES = 52_428_800

/** The range of intensities (spec §5). */
export const INTENSITY_MIN = 0.1
export const INTENSITY_MAX = 2
export const INTENSITY_STEP = 0.1
export const INTENSITY_DEFAULT = 1
/** The most effects that a recipe lays over each other. */
export const RECIPE_MAX_STEPS = 8
/** The longest name of a recipe. */
export const RECIPE_NAME_MAX_LENGTH = 80
/** The longest words for a model. */
export const PROMPT_MAX_LENGTH = 1000

/** Why a file is not taken. */
export type PictureRejection = 'type' | 'too-large'

/** What speaks against a file; null when nothing does. */
export function rejectionOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): PictureRejection | null {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  const isKnown = ending === undefined ? acceptedTypes.includes(type) : acceptedEndings.includes(ending)
  if (!isKnown) return 'type'
  return size > PICTURE_MAX_BYTES ? 'too-large' : null
}

/** An intensity as the slider has it: on a step, inside the range. */
export function asIntensity(value: number): number {
  const onStep = Math.round(value / INTENSITY_STEP) / Math.round(1 / INTENSITY_STEP)
  return Math.min(INTENSITY_MAX, Math.max(INTENSITY_MIN, onStep))
}
