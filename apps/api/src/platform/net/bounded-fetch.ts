export interface ResponseBounds {
  maxBytes: number
  /** Maximum number of commas in a JSON text: parsing blocks the event loop, and many values take much memory. */
  maxValues?: number
  /** Maximum number of arrays and objects, which take far more memory than their two brackets. */
  maxObjects?: number
  signal?: AbortSignal
}

const MAX_VALUES = 200_000
const MAX_OBJECTS = 50_000

/** A `fetch` for JSON and streams of JSON whose responses are limited in size and number of values, and by a signal. */
export function boundedFetch(
  innerFetch: typeof fetch,
  { signal, ...bounds }: ResponseBounds,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const stop = init.signal && signal ? AbortSignal.any([init.signal, signal]) : (init.signal ?? signal ?? null)
    return boundedResponse(await innerFetch(url, { ...init, signal: stop }), bounds)
  }
}

/** The same response with a body that fails when it exceeds the bounds. */
export function boundedResponse(response: Response, bounds: Omit<ResponseBounds, 'signal'>): Response {
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

export class ResponseTooLargeError extends Error {
  override name = 'ResponseTooLargeError'
}

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a]
const [LIST_BEGINS, OBJECT_BEGINS] = [0x5b, 0x7b]

/** Counts the values of a streamed JSON text. @throws ResponseTooLargeError when there are too many. */
function createJsonMeter({ maxBytes, maxValues = MAX_VALUES, maxObjects = MAX_OBJECTS }: ResponseBounds) {
  let [bytes, values, objects] = [0, 0, 0]
  let isString = false
  let isEscaped = false
  return (chunk: Uint8Array): void => {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new ResponseTooLargeError('The response is too large.')
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === NEWLINE) {
        // JSON strings contain no newlines, so an unbalanced quote can't hide the lines after it
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
    if (values > maxValues || objects > maxObjects)
      throw new ResponseTooLargeError('The response contains too many values.')
  }
}
