import { createTransport } from '@mira/client/transport'
import { apiBase } from '../lib/browser/page-meta.ts'
import { settingsStore } from '../lib/session/settings.ts'
import { storeToken, tokenStore } from '../lib/session/token.ts'

export {
  ApiError,
  networkError,
  type Page,
  withoutUndefined,
} from '@mira/client/transport'

/** Calls of the person who is signed in here; an answer of 401 ends the session of this browser at once. */
export const { apiUrl, requestHeaders, sendError, requestJson, requestEvents, call, callForResponse, callPage } =
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
