import { createTransport } from '@mira/client/transport'
import { apiBase } from '../browser/page-meta.ts'
import { settingsStore } from '../session/settings.ts'
import { storeToken, tokenStore } from '../session/token.ts'

declare global {
  interface Window {
    /**
     * Responses requested by before-first-paint.js while the app was loading, by URL, and the token sent with the requests.
     * Each response can be taken once.
     */
    earlyAnswers?: { token: string; answers: Record<string, Promise<Response>> } | undefined
  }
}

/**
 * Body of an early response; null when there's none or it failed, so that the caller's own request reports the error.
 */
export async function takeEarlyResponse<ResponseBody>(address: string): Promise<ResponseBody | null> {
  const { token, answers: responses = {} } = window.earlyAnswers ?? {}
  const pendingResponse = responses[address]
  delete responses[address]
  if (pendingResponse === undefined || token !== tokenStore.get()) return null
  return pendingResponse.then((response) => (response.ok ? response.json() : null)).catch(() => null)
}

export {
  ApiError,
  networkError,
  type Page,
  withoutUndefined,
} from '@mira/client/transport'

/** API calls of the signed-in user; a 401 response ends this browser's session immediately. */
export const { apiUrl, requestHeaders, toApiError, requestJson, requestEvents, call, callForResponse, callPage } =
  createTransport({
    baseUrl: apiBase,
    token: tokenStore.get,
    headers: () => {
      const { language, timezone, analytics } = settingsStore.get()
      return { 'Accept-Language': language, 'X-Time-Zone': timezone, 'X-Analytics': analytics ? undefined : 'off' }
    },
    // Another tab may have signed in meanwhile: only the token that was refused is forgotten.
    onTokenRefused: (token) => {
      if (tokenStore.get() === token) storeToken(null)
    },
  })
