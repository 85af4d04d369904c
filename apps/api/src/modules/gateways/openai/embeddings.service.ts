import type { z } from 'zod'
import type { Ai } from '../../../engines/ai.ts'
import type { Relay, RelayedResponse } from '../../../engines/engine-types.ts'
import { BadRequestError, NotFoundError } from '../../../errors.ts'
import { ASSISTANT_MODEL, type embeddingsSchema } from './protocol.ts'
import { relayableOther } from './relayed-request.ts'

export type EmbeddingsRequest = z.output<typeof embeddingsSchema>

/** Response to an embeddings request. */
type Embedded = { kind: 'relayed'; answer: RelayedResponse } | { kind: 'whole'; body: unknown }

/**
 * Embeds texts with a connected model, or with the embedding model that runs on this server.
 * @throws NotFoundError for an unknown model, BadRequestError for options that the latter doesn't support, EngineError.
 */
export async function embed(
  { ai, relayOf }: { ai: Ai; relayOf(model: string): Promise<Relay> },
  request: EmbeddingsRequest,
  signal: AbortSignal,
): Promise<Embedded> {
  const { model, input, dimensions, encoding_format } = request
  if (model === ASSISTANT_MODEL) {
    throw new NotFoundError('The assistant makes no vectors: send the name of an embedding model.', {
      code: 'model_not_found',
      errors: [{ path: 'model', message: 'must be an embedding model' }],
    })
  }
  const embedder = ai.embedding()
  if (embedder === null || embedder.engine === 'remote' || embedder.model() !== model) {
    const relay = await relayOf(model)
    return { kind: 'relayed', answer: await relay.post('/embeddings', relayableOther(request), signal) }
  }
  const texts = [input].flat().filter((text) => typeof text === 'string')
  if (texts.length === 0) {
    throw new BadRequestError('This model reads texts: send text, not tokens.', {
      code: 'tokens_not_supported',
      errors: [{ path: 'input', message: 'must be a text or a list of texts' }],
    })
  }
  const { vectors } = await embedder.embed(texts, 'passage', signal)
  const length = vectors[0]?.length
  if (dimensions !== null && dimensions !== undefined && dimensions !== length) {
    throw new BadRequestError(`This model gives vectors of ${length} numbers: leave out \`dimensions\`.`, {
      code: 'dimensions_not_supported',
      errors: [{ path: 'dimensions', message: 'not supported by this model' }],
    })
  }
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? asBase64(vector) : vector,
  }))
  // Models on this server count no tokens.
  return { kind: 'whole', body: { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } } }
}

/** 32-bit floats, little-endian. */
function asBase64(vector: number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true)
  return Buffer.from(view.buffer).toString('base64')
}
