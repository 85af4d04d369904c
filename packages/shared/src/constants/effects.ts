export const effectCategories = ['artistic', 'filter', 'stylized'] as const
export type EffectCategory = (typeof effectCategories)[number]

export const effectNames = [
  'oil_painting',
  'watercolor',
  'pencil_sketch',
  'colored_pencil',
  'charcoal',
  'ink',
  'pastel',
  'stippling',
  'mosaic',
  'ai_restyle',
  'black_and_white',
  'sepia',
  'vintage',
  'film_grain',
  'cool',
  'warm',
  'vivid',
  'hdr',
  'soft_glow',
  'vignette',
  'sharpen',
  'blur',
  'tilt_shift',
  'duotone',
  'pop_art',
  'cartoon',
  'comic_halftone',
  'pixel_art',
  'posterize',
  'neon_edges',
  'glitch',
  'low_poly',
  'stained_glass',
  'emboss',
  'thermal',
] as const
export type EffectName = (typeof effectNames)[number]

export const RECIPE_MAX_STEPS = 8
export const RECIPE_NAME_MAX_CHARACTERS = 80
