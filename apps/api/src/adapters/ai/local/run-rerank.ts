import { loadModel, type ModelToRun } from './run-load.ts'

/** One score for each text: how well it answers the query. */
export async function scoreTexts(input: { model: ModelToRun; query: string; texts: string[] }): Promise<number[]> {
  const { crossEncoder } = await loadModel(input.model)
  if (crossEncoder === undefined) throw new TypeError(`${input.model.id} puts no texts into order.`)
  const queries = input.texts.map(() => input.query)
  const pairs = crossEncoder.tokenizer(queries, { text_pair: input.texts, padding: true, truncation: true })
  const { logits } = (await crossEncoder.model(pairs)) as { logits: { data: unknown; dims: number[] } }
  const scores = Array.from(logits.data as Float32Array)
  // where there are two, the second one is for "it answers"
  const width = logits.dims.at(-1) ?? 1
  return input.texts.map((_text, row) => scores[row * width + width - 1] ?? Number.NaN)
}
