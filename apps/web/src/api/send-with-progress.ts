import { tokenStore } from '../lib/session/token.ts'
import { apiUrl, networkError, requestHeaders, sendError, withoutUndefined } from './client.ts'

/** A connection that takes no byte and gives no answer for so long is dead. */
const STALL_MS = 120_000

/** Options for an upload. */
export interface SendingOptions {
  /** Called as bytes leave this browser, with how many of the whole body. */
  onProgress: (sentBytes: number, totalBytes: number) => void
  signal?: AbortSignal
}

/**
 * Posts form data, tells how much of it was sent, and returns the answer when it is a success.
 *
 * By XMLHttpRequest: `fetch` does not tell how much of a body was sent.
 *
 * @throws ApiError when the answer is no success or none comes; a DOMException `AbortError` when `signal` aborts.
 */
export function sendWithProgress<Answer>(
  path: string,
  form: FormData,
  { onProgress, signal }: SendingOptions,
): Promise<{ status: number; answer: Answer }> {
  const token = tokenStore.get()
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    let stallTimer: ReturnType<typeof setTimeout> | undefined
    const restartStallTimer = () => {
      clearTimeout(stallTimer)
      stallTimer = setTimeout(() => fail(networkError(new Error('The connection stalled'))), STALL_MS)
    }
    const finish = () => {
      clearTimeout(stallTimer)
      signal?.removeEventListener('abort', abort)
    }
    const fail = (error: unknown) => {
      finish()
      request.abort()
      reject(error)
    }
    const abort = () => fail(new DOMException('The upload was stopped', 'AbortError'))

    request.upload.onprogress = ({ loaded, total }) => {
      restartStallTimer()
      onProgress(loaded, total)
    }
    request.onerror = () => fail(networkError())
    request.onload = () => {
      finish()
      if (request.status < 200 || request.status > 299) {
        const headers = { get: (name: string) => request.getResponseHeader(name) }
        reject(sendError({ status: request.status, headers }, request.responseText, token))
        return
      }
      try {
        resolve({ status: request.status, answer: JSON.parse(request.responseText) as Answer })
      } catch (error) {
        reject(networkError(error))
      }
    }
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    restartStallTimer()
    request.open('POST', apiUrl(path))
    for (const [name, value] of Object.entries(withoutUndefined(requestHeaders(token)))) {
      request.setRequestHeader(name, value)
    }
    request.send(form)
  })
}
