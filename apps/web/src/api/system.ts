import type { PublicConfig } from '@mira/shared'
import { requestJson } from './client.ts'

/** What a client needs to know before anybody signs in: names, limits, capabilities. */
export async function fetchConfig(signal?: AbortSignal): Promise<PublicConfig> {
  return requestJson('/config', { signal })
}
