import type { PersonaJson, ProjectJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api/client.ts'

const PAGE_SIZE = 200

/** Items of all pages. */
async function fetchAll<Page extends { next_cursor: string | null }, Item>(
  fetchPage: (query: { limit: number; cursor: string | null }) => Promise<Page>,
  itemsOf: (page: Page) => Item[],
): Promise<Item[]> {
  const all: Item[] = []
  let cursor: string | null = null
  do {
    const page: Page = await fetchPage({ limit: PAGE_SIZE, cursor })
    all.push(...itemsOf(page))
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** The user's saved prompts, sorted by command. */
export const promptsQuery = queryOptions({
  queryKey: ['prompts'],
  queryFn: ({ signal }) =>
    fetchAll(
      (query) => call('GET /prompts', { signal, query }),
      (page) => page.prompts,
    ),
})

/** Personas available to the user, sorted by name. */
export const personasQuery = queryOptions({
  queryKey: ['personas'],
  queryFn: ({ signal }) =>
    fetchAll(
      (query) => call('GET /personas', { signal, query }),
      (page) => page.personas,
    ),
})

/** Names of the tools that a persona can be allowed to use. */
export const personaToolsQuery = queryOptions({
  queryKey: ['persona-tools'],
  queryFn: ({ signal }) => call('GET /personas/tools', { signal }).then(({ tools }) => tools),
})

/** A persona; undefined while loading, or if it doesn't exist. */
export function usePersona(id: string | null): PersonaJson | undefined {
  const { data } = useQuery({ ...personasQuery, enabled: id !== null })
  return data?.find((persona) => persona.id === id)
}

/** The user's projects, sorted by name. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) =>
    fetchAll(
      (query) => call('GET /projects', { signal, query }),
      (page) => page.projects,
    ),
})

/** A project; undefined while loading, or if it doesn't exist. */
export function useProject(id: string | null): ProjectJson | undefined {
  const { data } = useQuery({ ...projectsQuery, enabled: id !== null })
  return data?.find((project) => project.id === id)
}
