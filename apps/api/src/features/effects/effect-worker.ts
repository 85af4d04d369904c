import { parentPort } from 'node:worker_threads'
import { type BandWork, renderBand } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'

/** Makes the bands that effect-pool.ts sends, one after the other. */
parentPort?.on('message', (work: BandWork) => {
  const rendered = renderBand(catalogue[work.effectName as PixelEffectName], work)
  parentPort?.postMessage(rendered, [rendered.buffer as ArrayBuffer])
})
