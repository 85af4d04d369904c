/** A `fetch` whose answers end at a size, and at a signal. */
export function boundedFetch(
  ask: typeof fetch,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const stop = init.signal ? AbortSignal.any([init.signal, signal]) : signal
    const response = await ask(url, { ...init, signal: stop })
    if (response.body === null) return response
    let bytes = 0
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength
          if (bytes > maxBytes) controller.error(new Error('The answer is too large.'))
          else controller.enqueue(chunk)
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(counted, { status, statusText, headers })
  }
}
