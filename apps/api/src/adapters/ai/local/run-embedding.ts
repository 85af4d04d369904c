import { loadModel, type ModelToRun, unitRows } from './run-load.ts'

/** One vector of length 1 for each text. */
export async function embedTexts({ model, texts }: { model: ModelToRun; texts: string[] }): Promise<Float32Array[]> {
  const { sentence } = await loadModel(model)
  if (sentence === undefined) throw new TypeError(`${model.id} embeds no texts.`)
  return unitRows(await sentence(texts, { pooling: 'mean', normalize: true }))
}
