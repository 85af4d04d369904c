import type { Ai } from '../../engines/ai.ts'
import type { Log } from '../../log.ts'
import type { SearchHit } from './search-hit.ts'

export interface RerankingDeps {
  ai: Pick<Ai, 'reranking'>
  log: Log
}

/** Puts the best of what was found into the order of an engine that reads query and text together; never throws. */
export type Rerank = (query: string, hits: SearchHit[]) => Promise<SearchHit[]>

const MAX_RERANKED = 30
const TIMEOUT_MS = 1500
/** After one that came too late or failed, searches do without for so long. */
const PAUSE_MS = 30_000
const LONGEST_DOCUMENT_CHARACTERS = 2000

export function createReranking({ ai, log }: RerankingDeps): Rerank {
  let pausedUntil = 0

  return async (query, hits) => {
    const engine = ai.reranking()
    if (engine === null || hits.length < 2 || pausedUntil > Date.now()) return hits
    const best = hits.slice(0, MAX_RERANKED)
    const documents = best.map(({ moment }) => moment.body.slice(0, LONGEST_DOCUMENT_CHARACTERS))
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const expired = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      const { scores } = await Promise.race([engine.rerank(query, documents, signal), expired])
      if (scores.length !== best.length || !scores.every(Number.isFinite))
        throw new Error('It did not score every text.')
      const order = best.map((hit, at) => ({ hit, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score)
      return [...order.map(({ hit }) => hit), ...hits.slice(MAX_RERANKED)]
    } catch (error) {
      log.warn({ err: error }, 'what was found could not be reranked')
      pausedUntil = Date.now() + PAUSE_MS
      return hits
    }
  }
}
