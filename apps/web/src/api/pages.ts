import type { MediaItemJson } from '@mira/shared'
import { callForResponse } from './client.ts'

/** Saved page; `isKnown` when its URL was saved before. */
export interface KeptPage {
  item: MediaItemJson
  isKnown: boolean
}

/** Longer than the server waits for the page. */
const TIMEOUT_MS = 45_000

/** Keeps the page at an address; `again` fetches one that was kept before. */
export async function keepPage(url: string, { again = false } = {}): Promise<KeptPage> {
  const response = await callForResponse('POST /pages', { json: { url, again, wait: 0 }, timeoutMs: TIMEOUT_MS })
  return { item: (await response.json()) as MediaItemJson, isKnown: response.status === 200 }
}
