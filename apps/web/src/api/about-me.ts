import { path } from '@mira/client/path'
import type { FactJson, FactsResponseJson, Instructions, UpdateInstructions } from '@mira/shared'
import { request, requestJson } from './client.ts'

const PAGE_SIZE = 20

/** The user's instructions for every conversation. */
export function fetchInstructions(signal?: AbortSignal): Promise<Instructions> {
  return requestJson('/me/instructions', { signal })
}

/** Changes what is given. */
export function updateInstructions(changes: UpdateInstructions): Promise<Instructions> {
  return requestJson('/me/instructions', { method: 'PATCH', json: changes })
}

/** A page of what is remembered of the person, the newest first; a blank query finds all. */
export function fetchFacts(
  { query, cursor }: { query: string; cursor: string | null },
  signal?: AbortSignal,
): Promise<FactsResponseJson> {
  return requestJson('/me/facts', { signal, query: { limit: PAGE_SIZE, cursor, query: query || null } })
}

/** Has a fact remembered; one that says the same already stays the only one. */
export function addFact(text: string): Promise<FactJson> {
  return requestJson('/me/facts', { method: 'POST', json: { text } })
}

/** Says it in other words. */
export function changeFact(id: string, text: string): Promise<FactJson> {
  return requestJson(path`/me/facts/${id}`, { method: 'PATCH', json: { text } })
}

/** Forgets one. */
export async function removeFact(id: string): Promise<void> {
  await request(path`/me/facts/${id}`, { method: 'DELETE' })
}
