import type { ProjectJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchProjects } from '../../../api/projects.ts'

/** The person's projects, in the order of their names. */
export const projectsQuery = queryOptions({ queryKey: ['projects'], queryFn: ({ signal }) => fetchProjects(signal) })

/** One of them; undefined while it is not known, or not there. */
export function useProject(id: string | null): ProjectJson | undefined {
  const { data } = useQuery({ ...projectsQuery, enabled: id !== null })
  return data?.find((project) => project.id === id)
}
