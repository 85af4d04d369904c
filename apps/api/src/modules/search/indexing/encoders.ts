import type { Embedder, ImageEmbedder } from '../../../engines/other-engines.ts'
import { wholeWords } from '../../../platform/lib/searched-form.ts'
import type { Profile } from './embeddings.store.ts'

/** Engine and model that make vectors of one kind. */
export type Maker = Pick<Profile, 'engine' | 'model'>

/** Vectors of some texts, and what made them. */
export interface Made {
  vectors: number[][]
  model: string
  dimensions: number
}

/** Either engine, as far as they are alike. */
export interface Encoder {
  engine: string
  model(): string | null
  queries(texts: string[], signal: AbortSignal): Promise<Made>
}

export function textEncoder(embedder: Embedder): Encoder
export function textEncoder(embedder: Embedder | null): Encoder | null
export function textEncoder(embedder: Embedder | null): Encoder | null {
  if (embedder === null) return null
  const queries: Encoder['queries'] = (texts, signal) => embedder.embed(texts.map(wholeWords), 'query', signal)
  return { engine: embedder.engine, model: () => embedder.model(), queries }
}

export function pictureEncoder(embedder: ImageEmbedder): Encoder
export function pictureEncoder(embedder: ImageEmbedder | null): Encoder | null
export function pictureEncoder(embedder: ImageEmbedder | null): Encoder | null {
  if (embedder === null) return null
  const queries: Encoder['queries'] = (texts, signal) => embedder.embedTexts(texts, signal)
  return { engine: embedder.engine, model: () => embedder.model(), queries }
}

/** One that does not know its model yet may be the one. */
export function isMakerOf({ engine, model }: { engine: string; model(): string | null }, profile: Profile): boolean {
  return engine === profile.engine && (model() ?? profile.model) === profile.model
}
