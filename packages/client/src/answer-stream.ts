import type { ChatEvent } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { ApiError, type RequestOptions, type Transport } from './transport.ts'

/** The server writes a comment at least every 15 s: a stream that is silent for three times as long is dead. */
const SILENCE_MS = 45_000

/** One event of an answer's stream, and where the stream can be taken up again after it. */
export interface AnswerPart {
  eventId: number | null
  event: ChatEvent
}

/**
 * Makes a call that is answered by the stream of an answer and reads it as it is made; returns at its end.
 *
 * @throws ApiError when the server refuses, cannot be reached, or the stream breaks off or falls silent.
 */
export async function* readAnswer(
  { requestEvents }: Pick<Transport, 'requestEvents'>,
  path: string,
  options: Omit<RequestOptions, 'timeoutMs' | 'signal'>,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const hear = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  hear()
  try {
    const events = requestEvents(path, { ...options, signal: AbortSignal.any([signal, silence.signal]) }, hear)
    for await (const { id, data } of events) {
      if (data === SSE_DONE) return
      yield { eventId: id ?? null, event: JSON.parse(data) as ChatEvent }
    }
  } catch (error) {
    throw silence.signal.aborted && !signal.aborted ? brokenOff('The server stopped answering.', error) : error
  } finally {
    clearTimeout(timer)
  }
  throw brokenOff('The connection to the server was lost.')
}

function brokenOff(detail: string, cause?: unknown): ApiError {
  return new ApiError(0, { code: 'network', detail }, null, { cause })
}
