import OpenAI from 'openai'

/** Client of the OpenAI-compatible API; `url` is the server's address. */
export const openAiClient = (url: string, apiKey: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })

/** Messages with a single question. */
export const ask = (content: string) => [{ role: 'user' as const, content }]

/** All pieces of a stream. */
export async function collect<Piece>(pieces: AsyncIterable<Piece>): Promise<Piece[]> {
  const all: Piece[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}
