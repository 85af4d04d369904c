import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type BandWork, processBand } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'

/** Renders a band for effect-pool.ts; the pixels are transferred, not copied. */
export default function renderBand(work: BandWork): unknown {
  const result = processBand(catalogue[work.effectName as PixelEffectName], work)
  const { buffer } = 'packed' in result ? result.packed.data : result.rendered
  return move({ [transferableSymbol]: [buffer as ArrayBuffer], [valueSymbol]: result } as never)
}
