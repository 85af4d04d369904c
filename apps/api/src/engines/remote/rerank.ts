import { cutText } from '@mira/shared/constants/cut-text'
import { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { Reranker } from '../engine-types.ts'
import { callRemote } from './call.ts'
import type { Connection } from './connection.ts'
import { readInputLimit } from './embedding.ts'
import { rejectsParameter } from './errors.ts'
import type { ModelRole } from './role.ts'

/** Short, since a user is waiting for the search, whose hits already have an order. */
const TIMEOUT_MS = 5_000
/** About 500 tokens, which most of these models read of a query and a text. */
const MAX_CHARACTERS = 2_000
const MIN_CHARACTERS = 200
/** Margin for token limits, which don't translate exactly into characters. */
const SAFETY_FACTOR = 0.9

/**
 * Scores texts with POST {base}/rerank of llama.cpp, vLLM, LocalAI, Jina and Cohere, and of Text Embeddings Inference,
 * which has another name for the texts and responds with a bare list. Learns how much of each text the server reads.
 */
export function createRemoteReranker(connection: Connection, role: ModelRole): Reranker {
  const { client, address, callTimeoutMs, log } = connection
  let textsField: 'documents' | 'texts' = 'documents'
  let maxCharacters = MAX_CHARACTERS

  const askOnce = async (model: string, query: string, documents: readonly string[], signal: AbortSignal) => {
    const cut = (text: string) => cutText(text, maxCharacters).toWellFormed()
    const texts = documents.map(cut)
    const body =
      textsField === 'documents'
        ? { model, query: cut(query), documents: texts, top_n: texts.length }
        : { query: cut(query), texts, truncate: true }
    return (await client()).post<unknown>('/rerank', { body, signal })
  }

  /** Adapts the next attempt to a refusal; false when that wouldn't help. */
  const learn = (error: unknown): boolean => {
    if (
      textsField === 'documents' &&
      rejectsParameter(error, /(missing|required).{0,20}\btexts\b|\btexts\b.{0,20}(missing|required)/i)
    ) {
      textsField = 'texts'
      return true
    }
    const refusal = readInputLimit(error)
    if (refusal === null || refusal.isTooMany || maxCharacters <= MIN_CHARACTERS) return false
    const share = refusal.share === null ? 0.5 : Math.min(refusal.share * SAFETY_FACTOR, SAFETY_FACTOR)
    maxCharacters = Math.max(MIN_CHARACTERS, Math.floor(maxCharacters * share))
    log.info({ characters: maxCharacters }, 'the reranking model only accepts shorter texts')
    return true
  }

  return {
    engine: 'remote',
    model: role.model,
    async rerank(query, documents, signal) {
      if (documents.length === 0) return { scores: [], model: role.model() ?? '' }
      return callRemote(
        {
          connection,
          role,
          signal,
          capability: 'rerank' as const,
          timeoutMs: Math.min(TIMEOUT_MS, callTimeoutMs),
          maxRetries: 0,
        },
        async (model, callSignal) => {
          for (;;) {
            try {
              const response = await askOnce(model, query, documents, callSignal)
              return { scores: readScores(response, documents.length, address), model }
            } catch (error) {
              if (!learn(error)) throw error
            }
          }
        },
      )
    },
  }
}

/** Scores in the order of the texts. @throws EngineError unless there is one number for each text. */
function readScores(response: unknown, count: number, address: string): number[] {
  const invalidScoresError = (reason: string) =>
    new EngineError(say('order_useless', { address, said: reason }), { code: 'useless_order' })
  const results = Array.isArray(response) ? response : (response as { results?: unknown } | null)?.results
  const entries = (Array.isArray(results) ? results : []) as {
    index?: unknown
    relevance_score?: unknown
    score?: unknown
  }[]
  if (entries.length !== count) throw invalidScoresError(`${entries.length} scores for ${count} texts`)
  const scores = new Array<number>(count).fill(Number.NaN)
  for (const entry of entries) {
    const score = entry?.relevance_score ?? entry?.score
    if (!Number.isInteger(entry?.index) || !(Number(entry.index) in scores))
      throw invalidScoresError('a score of no text')
    if (typeof score !== 'number' || !Number.isFinite(score)) throw invalidScoresError('a score isn’t a number')
    scores[Number(entry.index)] = score
  }
  if (scores.some(Number.isNaN)) throw invalidScoresError('a text has no score')
  return scores
}
