import type { CreateProjectJson, ProjectJson, ProjectsResponseJson, UpdateProjectJson } from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 200

/** All projects of the person, in the order of their names. */
export async function fetchProjects(signal?: AbortSignal): Promise<ProjectJson[]> {
  const all: ProjectJson[] = []
  let cursor: string | null = null
  do {
    const page: ProjectsResponseJson = await call('GET /projects', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.projects)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** Makes one. */
export function createProject(project: CreateProjectJson): Promise<ProjectJson> {
  return call('POST /projects', { json: project })
}

/** Changes what is given. */
export function updateProject(id: string, changes: UpdateProjectJson): Promise<ProjectJson> {
  return call('PATCH /projects/:id', { params: { id }, json: changes })
}

/** Deletes one; its conversations stay. */
export async function deleteProject(id: string): Promise<void> {
  await call('DELETE /projects/:id', { params: { id } })
}
