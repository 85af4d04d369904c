import {
  type CreateProject,
  createProjectSchema,
  MAX_PROJECTS,
  type Project,
  type ProjectsResponse,
  type UpdateProject,
} from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { PageQuery } from '../../../platform/lib/page.ts'
import type { MemoryService } from '../../search/index.ts'
import { type AnswerContext, importExported, listByName } from '../projects-and-personas.ts'
import type { ProjectsStore } from './projects.store.ts'

export type ProjectsService = ReturnType<typeof createProjectsService>

interface ProjectsDeps {
  store: ProjectsStore
  memory: MemoryService
}

const notFound = () => new NotFoundError('This project no longer exists.')

/** Projects: groups of a user's conversations, with their own instructions, model and knowledge. */
export function createProjectsService({ store, memory }: ProjectsDeps) {
  const requireProject = async (userId: string, id: string): Promise<Project> => {
    const row = await store.find(userId, id)
    if (row === null) throw notFound()
    return row
  }

  return {
    async list(userId: string, query: PageQuery): Promise<ProjectsResponse> {
      const { items, nextCursor } = await listByName((after, limit) => store.list(userId, after, limit), query)
      return { projects: items, next_cursor: nextCursor }
    },

    /** @throws NotFoundError */
    find: requireProject,

    /** @throws ConflictError when there are too many, NotFoundError when an item isn't the user's */
    async add(userId: string, project: CreateProject): Promise<Project> {
      if ((await store.count(userId)) >= MAX_PROJECTS) {
        throw new ConflictError(`You can have at most ${MAX_PROJECTS} projects. Delete some first.`, {
          code: 'too_many_projects',
        })
      }
      await store.requireItems(userId, project.media_ids)
      return requireProject(userId, await store.add(userId, project))
    },

    /** @throws NotFoundError when the project or an item isn't the user's */
    async update(userId: string, id: string, changes: UpdateProject): Promise<Project> {
      await store.requireItems(userId, changes.media_ids)
      if (!(await store.change(userId, id, changes))) throw notFound()
      return requireProject(userId, id)
    },

    /** Imports a project from an export. @returns its id; null when it's invalid @throws ConflictError when there are too many */
    importOne: (userId: string, fields: Record<string, unknown>): Promise<string | null> =>
      importExported(userId, fields, {
        kind: 'project',
        schema: createProjectSchema,
        max: MAX_PROJECTS,
        isOwn: async (id) => (await store.find(userId, id)) !== null,
        store,
      }),

    /** Deletes a project but not its conversations. @throws NotFoundError */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw notFound()
    },

    /** A project's contribution to an answer. @throws NotFoundError, and the errors of the memory's `search`. */
    async answerContextOf(
      reader: Pick<Caller, 'userId' | 'language' | 'timeZone'>,
      id: string,
    ): Promise<AnswerContext> {
      const { name, instructions, model, items, search, limited } = await requireProject(reader.userId, id)
      const attached = items.map(({ media_id }) => media_id)
      const matches = search === null ? [] : await memory.findItems(reader, search)
      return {
        instructions:
          instructions === ''
            ? ''
            : `This conversation belongs to the person's project ${JSON.stringify(name)}. They say of it:\n${instructions}`,
        model,
        knowledge: limited ? [...new Set([...attached, ...matches])] : undefined,
        allowedTools: undefined,
      }
    },
  }
}
