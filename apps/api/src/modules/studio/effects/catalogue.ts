import {
  type EffectDefinition,
  type EffectName,
  type EffectsAvailable,
  effectCategories,
  effectNames,
  type RecipeSteps,
} from '@mira/shared'
import type { Sentence } from '../../../sentences.ts'
import type { EffectKind } from './effect-kind.ts'
import { blackAndWhite } from './kinds/black-and-white.ts'
import { blur } from './kinds/blur.ts'
import { cartoon } from './kinds/cartoon.ts'
import { charcoal } from './kinds/charcoal.ts'
import { coloredPencil } from './kinds/colored-pencil.ts'
import { comicHalftone } from './kinds/comic-halftone.ts'
import { duotone } from './kinds/duotone.ts'
import { emboss } from './kinds/emboss.ts'
import { filmGrain } from './kinds/film-grain.ts'
import { glitch } from './kinds/glitch.ts'
import { hdr } from './kinds/hdr.ts'
import { ink } from './kinds/ink.ts'
import { lowPoly } from './kinds/low-poly.ts'
import { mosaic } from './kinds/mosaic.ts'
import { neonEdges } from './kinds/neon-edges.ts'
import { oilPainting } from './kinds/oil-painting.ts'
import { pastel } from './kinds/pastel.ts'
import { pencilSketch } from './kinds/pencil-sketch.ts'
import { pixelArt } from './kinds/pixel-art.ts'
import { popArt } from './kinds/pop-art.ts'
import { posterize } from './kinds/posterize.ts'
import { sepia } from './kinds/sepia.ts'
import { sharpen } from './kinds/sharpen.ts'
import { softGlow } from './kinds/soft-glow.ts'
import { stainedGlass } from './kinds/stained-glass.ts'
import { stippling } from './kinds/stippling.ts'
import { cool, warm } from './kinds/temperature.ts'
import { thermal } from './kinds/thermal.ts'
import { tiltShift } from './kinds/tilt-shift.ts'
import { vignette } from './kinds/vignette.ts'
import { vintage } from './kinds/vintage.ts'
import { vivid } from './kinds/vivid.ts'
import { watercolor } from './kinds/watercolor.ts'

/** Names of the effects computed from pixels here, without a model. */
export type PixelEffectName = Exclude<EffectName, `ai_${string}`>

export const catalogue: Record<PixelEffectName, EffectKind> = {
  oil_painting: oilPainting,
  watercolor,
  pencil_sketch: pencilSketch,
  colored_pencil: coloredPencil,
  charcoal,
  ink,
  pastel,
  stippling,
  mosaic,
  black_and_white: blackAndWhite,
  sepia,
  vintage,
  film_grain: filmGrain,
  cool,
  warm,
  vivid,
  hdr,
  soft_glow: softGlow,
  vignette,
  sharpen,
  blur,
  tilt_shift: tiltShift,
  duotone,
  pop_art: popArt,
  cartoon,
  comic_halftone: comicHalftone,
  pixel_art: pixelArt,
  posterize,
  neon_edges: neonEdges,
  glitch,
  low_poly: lowPoly,
  stained_glass: stainedGlass,
  emboss,
  thermal,
}

/** Name, description and category of the effect that needs a model. */
const restyle = {
  name: 'AI Restyle',
  description: 'Redraws the picture as you describe it.',
  category: 'artistic',
} as const

/** True for effects computed from pixels here, without a model. */
export function isPixelEffect(name: EffectName): name is PixelEffectName {
  return name in catalogue
}

export function displayNameOf(name: EffectName): string {
  return isPixelEffect(name) ? catalogue[name].displayName : restyle.name
}

/** Title of a recipe: its effects in order. */
export function titleOf(steps: RecipeSteps): string {
  return steps.map(({ effect_name: name }) => displayNameOf(name)).join(' + ')
}

/** All effects by name and by category. @param offReason reason why effects that need a model are unavailable; null if they aren't. */
export function effectsAvailable(offReason: Sentence | null): EffectsAvailable {
  const define = (name: EffectName): EffectDefinition => {
    if (isPixelEffect(name)) {
      const { displayName, description, category } = catalogue[name]
      return { name: displayName, description, category, requires_ai: false, available: true }
    }
    const reason = offReason && { unavailable_reason: offReason.text, unavailable_told: offReason.sentences }
    return { ...restyle, requires_ai: true, available: offReason === null, ...reason }
  }
  const effects = Object.fromEntries(effectNames.map((name) => [name, define(name)])) as EffectsAvailable['effects']
  const inCategory = (category: string) => effectNames.filter((name) => effects[name].category === category)
  return {
    effects,
    categories: Object.fromEntries(
      effectCategories.map((category) => [category, inCategory(category)]),
    ) as EffectsAvailable['categories'],
  }
}

/** Unsigned path of a picture. */
export function picturePath({ id }: { id: string }, size?: 'thumbnail' | 'preview'): string {
  return `/api/image-effects/effects/download/${id}${size ? `?size=${size}` : ''}`
}
