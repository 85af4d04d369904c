export interface AnswerBounds {
  maxBytes: number
  /** Most members of all lists and objects of a JSON text together: parsing holds the event loop, and many take much memory. */
  maxValues?: number
  /** Most lists and objects, which take far more memory than their two brackets. */
  maxObjects?: number
  signal?: AbortSignal
}

const MAX_VALUES = 200_000
const MAX_OBJECTS = 50_000

/** A `fetch` for JSON and streams of JSON, whose answers end at a size, at many values, and at a signal. */
export function boundedFetch(
  ask: typeof fetch,
  { signal, ...bounds }: AnswerBounds,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const stop = init.signal && signal ? AbortSignal.any([init.signal, signal]) : (init.signal ?? signal ?? null)
    return boundedAnswer(await ask(url, { ...init, signal: stop }), bounds)
  }
}

/** The same answer, whose body fails where it passes the bounds. */
export function boundedAnswer(response: Response, bounds: Omit<AnswerBounds, 'signal'>): Response {
  if (response.body === null) return response
  const requireBounds = createJsonMeter(bounds)
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        requireBounds(chunk)
        controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers })
}

export class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError'
}

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a]
const [LIST_BEGINS, OBJECT_BEGINS] = [0x5b, 0x7b]

/** Counts the values of a JSON text that comes in chunks. @throws AnswerTooLargeError where there are more than allowed. */
function createJsonMeter({ maxBytes, maxValues = MAX_VALUES, maxObjects = MAX_OBJECTS }: AnswerBounds) {
  let [bytes, values, objects] = [0, 0, 0]
  let isString = false
  let isEscaped = false
  return (chunk: Uint8Array): void => {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new AnswerTooLargeError('The answer is too large.')
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === NEWLINE) {
        // no string of JSON goes beyond its line, so a quote elsewhere hides nothing of what follows
        isString = false
        isEscaped = false
      } else if (isEscaped) isEscaped = false
      else if (isString) {
        if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isString = false
      } else if (byte === QUOTE) isString = true
      else if (byte === COMMA) values++
      else if (byte === LIST_BEGINS || byte === OBJECT_BEGINS) objects++
    }
    if (values > maxValues || objects > maxObjects) throw new AnswerTooLargeError('The answer holds too many values.')
  }
}
