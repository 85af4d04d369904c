import type { PersonaJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchPersonas, fetchPersonaTools } from '../../../api/personas.ts'

/** The personas that the person may talk to, in the order of their names. */
export const personasQuery = queryOptions({ queryKey: ['personas'], queryFn: ({ signal }) => fetchPersonas(signal) })

/** Names of the tools that a persona can be allowed to use. */
export const personaToolsQuery = queryOptions({
  queryKey: ['persona-tools'],
  queryFn: ({ signal }) => fetchPersonaTools(signal),
})

/** One of them; undefined while it is not known, or not there. */
export function usePersona(id: string | null): PersonaJson | undefined {
  const { data } = useQuery({ ...personasQuery, enabled: id !== null })
  return data?.find((persona) => persona.id === id)
}
