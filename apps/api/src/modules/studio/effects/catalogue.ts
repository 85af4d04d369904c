import type { EffectName } from '@mira/shared'
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

/** Names of the effects that are made of pixels here, without a model. */
export type PixelEffectName = Exclude<EffectName, `ai_${string}`>

/** Every effect that needs no model. */
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
