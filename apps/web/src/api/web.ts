import type { UpdateWebSettings, WebSettings, WebState } from '@mira/shared'
import { requestJson } from './client.ts'

/** Web access available to conversations. */
export async function fetchWebState(signal?: AbortSignal): Promise<WebState> {
  return requestJson('/web', { signal })
}

/** The administrators' settings for web access. */
export async function fetchWebSettings(signal?: AbortSignal): Promise<WebSettings> {
  return requestJson('/admin/web', { signal })
}

/** Decides; the answer tells how the search did when it was tried. */
export async function saveWebSettings(settings: UpdateWebSettings): Promise<WebSettings> {
  return requestJson('/admin/web', { method: 'PUT', json: settings })
}

/** Searches the web once. */
export async function testWebSearch(): Promise<WebSettings> {
  return requestJson('/admin/web/test', { method: 'POST' })
}
