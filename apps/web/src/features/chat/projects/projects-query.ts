import type { ProjectJson, ProjectsResponseJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

const PAGE_SIZE = 200

/** All projects of the person, in the order of their names. */
async function fetchProjects(signal?: AbortSignal): Promise<ProjectJson[]> {
  const all: ProjectJson[] = []
  let cursor: string | null = null
  do {
    const page: ProjectsResponseJson = await call('GET /projects', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.projects)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** The person's projects, in the order of their names. */
export const projectsQuery = queryOptions({ queryKey: ['projects'], queryFn: ({ signal }) => fetchProjects(signal) })

/** One of them; undefined while it is not known, or not there. */
export function useProject(id: string | null): ProjectJson | undefined {
  const { data } = useQuery({ ...projectsQuery, enabled: id !== null })
  return data?.find((project) => project.id === id)
}
