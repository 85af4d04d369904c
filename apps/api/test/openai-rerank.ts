import type { ServerResponse } from 'node:http'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

/** Behaviour of reranking. */
export interface RerankBehaviour {
  /** Like Text Embeddings Inference: `texts` instead of `documents`, and a bare list. */
  isBareList?: boolean
  /** Score of each text; by default later texts score higher, which reverses the order. */
  scoreOf?: (text: string, index: number) => number
  /** Longer texts are rejected, as by llama.cpp. */
  maxCharacters?: number
  /** Response instead of the ranking. */
  answer?: unknown
  failure?: WireError | 'hang'
}

/** Sends a score for each text, the best first. */
export async function answerRerank(
  request: RecordedRequest,
  response: ServerResponse,
  behaviour: RerankBehaviour,
): Promise<void> {
  const { isBareList, scoreOf = (_text, index) => index, maxCharacters = Infinity, answer, failure } = behaviour
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  if (answer !== undefined) return sendJson(response, answer)
  const { documents, texts, query } = request.body as { documents?: string[]; texts?: string[]; query?: string }
  const candidates = isBareList ? texts : documents
  if (candidates === undefined || query === undefined) {
    const missing = isBareList ? 'texts' : 'documents'
    return sendError(response, {
      status: 422,
      message: `Failed to deserialize the JSON body into the target type: missing field \`${missing}\``,
    })
  }
  const longest = Math.max(...candidates.map(({ length }) => length))
  if (longest > maxCharacters) {
    const message = `input (${longest} tokens) is too large to process. increase the physical batch size (current batch size: ${maxCharacters})`
    return sendError(response, { status: 500, message })
  }
  const scored = candidates
    .map((text, index) => ({ index, score: scoreOf(text, index) }))
    .sort((one, other) => other.score - one.score)
  if (isBareList) return sendJson(response, scored)
  sendJson(response, {
    model: request.body.model,
    results: scored.map(({ index, score }) => ({ index, relevance_score: score })),
  })
}
