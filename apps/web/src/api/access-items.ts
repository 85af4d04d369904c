import type { AccessItemJson, AccessItemRef, AccessItemsResponseJson } from '@mira/shared'
import { call } from './client.ts'

/** A page of everything with access to the user's account, newest first. */
export function fetchAccessItems(cursor: string | null, signal?: AbortSignal): Promise<AccessItemsResponseJson> {
  return call('GET /auth/access', { signal, query: { limit: 100, cursor } })
}

/** Ends things with access. */
export async function endAccess(items: readonly AccessItemRef[]): Promise<void> {
  await call('POST /auth/access/end', { json: { items } })
}

/** Turns on again what a restore turned off; `password` when the sign-in is more than ten minutes old. */
export async function confirmAccess(items: readonly AccessItemRef[], password?: string): Promise<void> {
  await call('POST /auth/access/confirm', { json: { items, current_password: password } })
}

export const refOf = ({ kind, id }: AccessItemJson): AccessItemRef => ({ kind, id })
