import type { UpdateWebSettings, WebSettings, WebState } from '@mira/shared'
import { call } from './client.ts'

/** Web access available to conversations. */
export async function fetchWebState(signal?: AbortSignal): Promise<WebState> {
  return call('GET /web', { signal })
}

/** The administrators' settings for web access. */
export async function fetchWebSettings(signal?: AbortSignal): Promise<WebSettings> {
  return call('GET /admin/web', { signal })
}

/** Decides; the answer tells how the search did when it was tried. */
export async function saveWebSettings(settings: UpdateWebSettings): Promise<WebSettings> {
  return call('PUT /admin/web', { json: settings })
}

/** Searches the web once. */
export async function testWebSearch(): Promise<WebSettings> {
  return call('POST /admin/web/test')
}
