import {
  EFFECT_UPLOAD_MAX_BYTES,
  INTENSITY_DEFAULT,
  INTENSITY_MAX,
  INTENSITY_MIN,
  INTENSITY_STEP,
  newRecipeSchema,
  recipeStepsSchema,
} from '@mira/shared'
import { describe, expect, it } from 'vitest'
import * as limits from './limits.ts'

describe('the limits of the studio', () => {
  it('are those of the server', () => {
    expect(limits.PICTURE_MAX_BYTES).toBe(EFFECT_UPLOAD_MAX_BYTES)
    expect([limits.INTENSITY_MIN, limits.INTENSITY_MAX, limits.INTENSITY_STEP, limits.INTENSITY_DEFAULT]).toEqual([
      INTENSITY_MIN,
      INTENSITY_MAX,
      INTENSITY_STEP,
      INTENSITY_DEFAULT,
    ])
    const steps = (count: number) => Array.from({ length: count }, () => ({ effect_name: 'sepia', intensity: 1 }))
    expect(recipeStepsSchema.safeParse(steps(limits.RECIPE_MAX_STEPS)).success).toBe(true)
    expect(recipeStepsSchema.safeParse(steps(limits.RECIPE_MAX_STEPS + 1)).success).toBe(false)
    const named = (length: number) => ({ name: 'n'.repeat(length), steps: steps(1) })
    expect(newRecipeSchema.safeParse(named(limits.RECIPE_NAME_MAX_LENGTH)).success).toBe(true)
    expect(newRecipeSchema.safeParse(named(limits.RECIPE_NAME_MAX_LENGTH + 1)).success).toBe(false)
  })

  it('take pictures by the ending of their names, and pasted ones without a name by their type', () => {
    const picture = (name: string, type = '', size = 1) => limits.rejectionOf({ name, type, size })
    expect(['a.jpg', 'a.JPEG', 'b.png', 'c.bmp', 'd.x.webp'].map((name) => picture(name))).toEqual(Array(5).fill(null))
    expect(picture('blob', 'image/png')).toBeNull()
    expect(picture('letter.pdf', 'application/pdf')).toBe('type')
    expect(picture('moving.gif', 'image/gif')).toBe('type')
    expect(picture('image.svg', 'image/png')).toBe('type')
    expect(picture('clip', 'video/mp4')).toBe('type')
  })

  it('take a picture of exactly 50 MB and none that is larger', () => {
    const sized = (size: number) => limits.rejectionOf({ name: 'a.png', type: 'image/png', size })
    expect(sized(52_428_800)).toBeNull()
    expect(sized(52_428_801)).toBe('too-large')
  })

  it('keep intensities on the steps of the slider', () => {
    expect([0.1 + 0.2, 1.0499, 7, 0, 1.95].map(limits.asIntensity)).toEqual([0.3, 1, 2, 0.1, 2])
  })
})
