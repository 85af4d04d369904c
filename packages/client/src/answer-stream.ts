import type { ChatEvent } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { ApiError, type RequestOptions, type Transport } from './transport.ts'

/** Timeout of a silent stream: three times the server's interval of 15 s between comments. */
const SILENCE_MS = 45_000

/** One event of an answer's stream. To resume the stream after the event, pass `eventId`. */
export interface AnswerPart {
  eventId: number | null
  event: ChatEvent
}

/**
 * Calls a route that streams an answer, and yields its events until the end.
 *
 * @throws ApiError when the server refuses or can't be reached, or when the stream breaks off or falls silent.
 */
export async function* readAnswer(
  { requestEvents }: Pick<Transport, 'requestEvents'>,
  path: string,
  options: Omit<RequestOptions, 'timeoutMs' | 'signal'>,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  restartTimer()
  try {
    const events = requestEvents(path, { ...options, signal: AbortSignal.any([signal, silence.signal]) }, restartTimer)
    for await (const { id, data } of events) {
      if (data === SSE_DONE) return
      yield { eventId: id ?? null, event: JSON.parse(data) as ChatEvent }
    }
  } catch (error) {
    throw silence.signal.aborted && !signal.aborted ? interruption('The server stopped responding.', error) : error
  } finally {
    clearTimeout(timer)
  }
  throw interruption('The connection to the server was lost.')
}

function interruption(detail: string, cause?: unknown): ApiError {
  return new ApiError(0, { code: 'network', detail }, null, { cause })
}
