import type {
  AdministerPersonaJson,
  CreatePersonaJson,
  PersonaJson,
  PersonasResponseJson,
  UpdatePersonaJson,
} from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 200

/** All personas that the person may talk to, in the order of their names. */
export async function fetchPersonas(signal?: AbortSignal): Promise<PersonaJson[]> {
  const all: PersonaJson[] = []
  let cursor: string | null = null
  do {
    const page: PersonasResponseJson = await call('GET /personas', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.personas)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** Names of the tools that a persona can be allowed to use. */
export async function fetchPersonaTools(signal?: AbortSignal): Promise<string[]> {
  return (await call('GET /personas/tools', { signal })).tools
}

/** Makes one. */
export function createPersona(persona: CreatePersonaJson): Promise<PersonaJson> {
  return call('POST /personas', { json: persona })
}

/** Changes what is given of one that nobody else uses. */
export function updatePersona(id: string, changes: UpdatePersonaJson): Promise<PersonaJson> {
  return call('PATCH /personas/:id', { params: { id }, json: changes })
}

/** Shares one with everybody, or changes one that is shared; for administrators. */
export function administerPersona(id: string, changes: AdministerPersonaJson): Promise<PersonaJson> {
  return call('PATCH /admin/personas/:id', { params: { id }, json: changes })
}

/** Deletes one; its conversations stay. */
export async function deletePersona({ id, shared }: Pick<PersonaJson, 'id' | 'shared'>): Promise<void> {
  await call(shared ? 'DELETE /admin/personas/:id' : 'DELETE /personas/:id', { params: { id } })
}
