import { parentPort } from 'node:worker_threads'
import { answerBand, type BandWork } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'

/** Makes the bands that effect-pool.ts sends, one after the other. */
parentPort?.on('message', (work: BandWork) => {
  const answer = answerBand(catalogue[work.effectName as PixelEffectName], work)
  const { buffer } = 'packed' in answer ? answer.packed.data : answer.rendered
  parentPort?.postMessage(answer, [buffer as ArrayBuffer])
})
