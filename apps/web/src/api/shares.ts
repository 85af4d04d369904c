import type { ContinuedShareJson, CreateShareJson, PublicShareJson, ShareJson, SharesResponseJson } from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 20

/** A page of the person's links, newest first; those of one conversation where it is named. */
export function fetchShares(
  { cursor, subjectId }: { cursor: string | null; subjectId?: string },
  signal?: AbortSignal,
): Promise<SharesResponseJson> {
  return call('GET /shares', { signal, query: { limit: PAGE_SIZE, cursor, subject_id: subjectId } })
}

/** Shares a conversation as it is now. */
export function createShare(share: CreateShareJson): Promise<ShareJson> {
  return call('POST /shares', { json: share })
}

/** Ends a link at once. */
export async function revokeShare(id: string): Promise<void> {
  await call('DELETE /shares/:id', { params: { id } })
}

/** Contents of a shared link; needs no account. */
export function fetchPublicShare(token: string, before: string | null, signal?: AbortSignal): Promise<PublicShareJson> {
  return call('GET /public/shares/:token', { params: { token }, signal, query: { before } })
}

/** Makes what is shared a conversation of the signed-in person. */
export function continueShare(token: string): Promise<ContinuedShareJson> {
  return call('POST /public/shares/:token/continue', { params: { token }, timeoutMs: null })
}
