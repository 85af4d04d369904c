import { path } from '@mira/client/path'
import type { ContinuedShareJson, CreateShareJson, PublicShareJson, ShareJson, SharesResponseJson } from '@mira/shared'
import { request, requestJson } from './client.ts'

const PAGE_SIZE = 20

/** A page of the person's links, newest first; those of one conversation where it is named. */
export function fetchShares(
  { cursor, subjectId }: { cursor: string | null; subjectId?: string },
  signal?: AbortSignal,
): Promise<SharesResponseJson> {
  return requestJson('/shares', { signal, query: { limit: PAGE_SIZE, cursor, subject_id: subjectId } })
}

/** Shares a conversation as it is now. */
export function createShare(share: CreateShareJson): Promise<ShareJson> {
  return requestJson('/shares', { method: 'POST', json: share })
}

/** Ends a link at once. */
export async function revokeShare(id: string): Promise<void> {
  await request(path`/shares/${id}`, { method: 'DELETE' })
}

/** Contents of a shared link; needs no account. */
export function fetchPublicShare(token: string, before: string | null, signal?: AbortSignal): Promise<PublicShareJson> {
  return requestJson(path`/public/shares/${token}`, { signal, query: { before } })
}

/** Makes what is shared a conversation of the signed-in person. */
export function continueShare(token: string): Promise<ContinuedShareJson> {
  return requestJson(path`/public/shares/${token}/continue`, { method: 'POST', timeoutMs: null })
}
