import type { ServerResponse } from 'node:http'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

/** Behaviour of reranking. */
export interface RerankBehaviour {
  /** As Text Embeddings Inference does it: `texts` instead of `documents`, and a bare list. */
  isBareList?: boolean
  /** The score of each text; without it the later ones are better: the order is turned round. */
  scoreOf?: (text: string, at: number) => number
  /** Longer texts are refused as llama.cpp does it. */
  maxCharacters?: number
  /** Response instead of the ranking. */
  answer?: unknown
  trouble?: WireError | 'hang'
}

/** Sends a score for each text, the best first. */
export async function answerRerank(
  request: RecordedRequest,
  response: ServerResponse,
  behaviour: RerankBehaviour,
): Promise<void> {
  const { isBareList, scoreOf = (_text, at) => at, maxCharacters = Infinity, answer, trouble } = behaviour
  if (trouble === 'hang') return
  if (trouble) return sendError(response, trouble)
  if (answer !== undefined) return sendJson(response, answer)
  const { documents, texts, query } = request.body as { documents?: string[]; texts?: string[]; query?: string }
  const given = isBareList ? texts : documents
  if (given === undefined || query === undefined) {
    const missing = isBareList ? 'texts' : 'documents'
    return sendError(response, {
      status: 422,
      message: `Failed to deserialize the JSON body into the target type: missing field \`${missing}\``,
    })
  }
  const longest = Math.max(...given.map(({ length }) => length))
  if (longest > maxCharacters) {
    const message = `input (${longest} tokens) is too large to process. increase the physical batch size (current batch size: ${maxCharacters})`
    return sendError(response, { status: 500, message })
  }
  const scored = given
    .map((text, index) => ({ index, score: scoreOf(text, index) }))
    .sort((one, other) => other.score - one.score)
  if (isBareList) return sendJson(response, scored)
  sendJson(response, {
    model: request.body.model,
    results: scored.map(({ index, score }) => ({ index, relevance_score: score })),
  })
}
