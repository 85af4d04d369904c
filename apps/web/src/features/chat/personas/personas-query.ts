import type { PersonaJson, PersonasResponseJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

const PAGE_SIZE = 200

/** All personas that the person may talk to, in the order of their names. */
async function fetchPersonas(signal?: AbortSignal): Promise<PersonaJson[]> {
  const all: PersonaJson[] = []
  let cursor: string | null = null
  do {
    const page: PersonasResponseJson = await call('GET /personas', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.personas)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** The personas that the person may talk to, in the order of their names. */
export const personasQuery = queryOptions({ queryKey: ['personas'], queryFn: ({ signal }) => fetchPersonas(signal) })

/** Names of the tools that a persona can be allowed to use. */
export const personaToolsQuery = queryOptions({
  queryKey: ['persona-tools'],
  queryFn: ({ signal }) => call('GET /personas/tools', { signal }).then(({ tools }) => tools),
})

/** One of them; undefined while it is not known, or not there. */
export function usePersona(id: string | null): PersonaJson | undefined {
  const { data } = useQuery({ ...personasQuery, enabled: id !== null })
  return data?.find((persona) => persona.id === id)
}
