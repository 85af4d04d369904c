import { path } from '@mira/client/path'
import type {
  AdministerPersonaJson,
  CreatePersonaJson,
  PersonaJson,
  PersonasResponseJson,
  PersonaTools,
  UpdatePersonaJson,
} from '@mira/shared'
import { request, requestJson } from './client.ts'

const PAGE_SIZE = 200

/** All personas that the person may talk to, in the order of their names. */
export async function fetchPersonas(signal?: AbortSignal): Promise<PersonaJson[]> {
  const all: PersonaJson[] = []
  let cursor: string | null = null
  do {
    const page: PersonasResponseJson = await requestJson('/personas', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.personas)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** Names of the tools that a persona can be allowed to use. */
export async function fetchPersonaTools(signal?: AbortSignal): Promise<string[]> {
  return (await requestJson<PersonaTools>('/personas/tools', { signal })).tools
}

/** Makes one. */
export function createPersona(persona: CreatePersonaJson): Promise<PersonaJson> {
  return requestJson('/personas', { method: 'POST', json: persona })
}

/** Changes what is given of one that nobody else uses. */
export function updatePersona(id: string, changes: UpdatePersonaJson): Promise<PersonaJson> {
  return requestJson(path`/personas/${id}`, { method: 'PATCH', json: changes })
}

/** Shares one with everybody, or changes one that is shared; for administrators. */
export function administerPersona(id: string, changes: AdministerPersonaJson): Promise<PersonaJson> {
  return requestJson(path`/admin/personas/${id}`, { method: 'PATCH', json: changes })
}

/** Deletes one; its conversations stay. */
export async function deletePersona({ id, shared }: Pick<PersonaJson, 'id' | 'shared'>): Promise<void> {
  await request(shared ? path`/admin/personas/${id}` : path`/personas/${id}`, { method: 'DELETE' })
}
