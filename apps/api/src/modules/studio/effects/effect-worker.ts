import { move, transferableSymbol, valueSymbol } from 'piscina'
import { answerBand, type BandWork } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'

/** Makes a band for effect-pool.ts; its pixels are handed over, not copied. */
export default function makeBand(work: BandWork): unknown {
  const answer = answerBand(catalogue[work.effectName as PixelEffectName], work)
  const { buffer } = 'packed' in answer ? answer.packed.data : answer.rendered
  return move({ [transferableSymbol]: [buffer as ArrayBuffer], [valueSymbol]: answer } as never)
}
