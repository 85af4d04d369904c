import type { FactJson, FactsResponseJson, Instructions, UpdateInstructions } from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 20

/** The user's instructions for every conversation. */
export function fetchInstructions(signal?: AbortSignal): Promise<Instructions> {
  return call('GET /me/instructions', { signal })
}

/** Changes what is given. */
export function updateInstructions(changes: UpdateInstructions): Promise<Instructions> {
  return call('PATCH /me/instructions', { json: changes })
}

/** A page of what is remembered of the person, the newest first; a blank query finds all. */
export function fetchFacts(
  { query, cursor }: { query: string; cursor: string | null },
  signal?: AbortSignal,
): Promise<FactsResponseJson> {
  return call('GET /me/facts', { signal, query: { limit: PAGE_SIZE, cursor, query: query || null } })
}

/** Has a fact remembered; one that says the same already stays the only one. */
export function addFact(text: string): Promise<FactJson> {
  return call('POST /me/facts', { json: { text } })
}

/** Says it in other words. */
export function changeFact(id: string, text: string): Promise<FactJson> {
  return call('PATCH /me/facts/:id', { params: { id }, json: { text } })
}

/** Forgets one. */
export async function removeFact(id: string): Promise<void> {
  await call('DELETE /me/facts/:id', { params: { id } })
}
