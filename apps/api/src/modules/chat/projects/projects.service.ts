import {
  type CreateProject,
  createProjectSchema,
  MAX_PROJECTS,
  PROJECT_MAX_ITEMS,
  PROJECT_NAME_MAX_CHARACTERS,
  type Project,
  type ProjectsResponse,
  type UpdateProject,
} from '@mira/shared'
import { z } from 'zod'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import { idOf } from '../../../platform/database/new-id.ts'
import { cutPage, type PageQuery, readCursor, writeCursor } from '../../../platform/lib/page.ts'
import type { MemoryService } from '../../search/index.ts'
import type { ProjectsStore } from './projects.store.ts'

export type ProjectsService = ReturnType<typeof createProjectsService>

/** User and language for reading a project. */
export interface ProjectReader {
  userId: string
  language: string
  timeZone: string
}

/** A project's contribution to the answers in its conversations. */
export interface ProjectSurroundings {
  instructions: string
  model: string | null
  /** Ids of the items that its conversations are answered from; undefined for the whole memory. */
  knowledge: string[] | undefined
}

export interface ProjectsDeps {
  store: ProjectsStore
  memory: MemoryService
}

/** Fields of an exported project, in addition to the writable ones. */
const broughtSchema = z.object({ id: z.uuid(), items: z.array(z.uuid()).max(PROJECT_MAX_ITEMS).default([]) })

/** The project that a page ends with. */
const positionSchema = z.object({ name: z.string().max(PROJECT_NAME_MAX_CHARACTERS), id: z.uuid() })

const notFound = () => new NotFoundError('This project is not there any more.')

/** Projects: groups of a user's conversations, with their own instructions, model and knowledge. */
export function createProjectsService({ store, memory }: ProjectsDeps) {
  const requireProject = async (userId: string, id: string): Promise<Project> => {
    const row = await store.find(userId, id)
    if (row === null) throw notFound()
    return row
  }

  return {
    async list(userId: string, { limit, cursor }: PageQuery): Promise<ProjectsResponse> {
      const after = cursor === undefined ? null : readCursor(cursor, positionSchema)
      const rows = await store.list(userId, after, limit + 1)
      const { items, nextCursor } = cutPage(rows, limit, ({ name, id }) => writeCursor({ name, id }))
      return { projects: items, next_cursor: nextCursor }
    },

    /** @throws NotFoundError */
    find: requireProject,

    /** @throws ConflictError when there are too many, NotFoundError when an item is not the user's. */
    async add(userId: string, project: CreateProject): Promise<Project> {
      if ((await store.count(userId)) >= MAX_PROJECTS) {
        throw new ConflictError(`There are at most ${MAX_PROJECTS} projects. Delete some first.`, {
          code: 'too_many_projects',
        })
      }
      await store.requireItems(userId, project.media_ids)
      return requireProject(userId, await store.add(userId, project))
    },

    /** @throws NotFoundError when the project or an item is not the user's. */
    async update(userId: string, id: string, changes: UpdateProject): Promise<Project> {
      await store.requireItems(userId, changes.media_ids)
      if (!(await store.change(userId, id, changes))) throw notFound()
      return requireProject(userId, id)
    },

    /**
     * Imports a project from an export, with those of its items that exist here; an existing one stays unchanged.
     * @returns its id; null when it's invalid, or there are too many.
     */
    async bring(userId: string, fields: Record<string, unknown>): Promise<string | null> {
      const place = broughtSchema.safeParse(fields)
      if (!place.success) return null
      const ids = [place.data.id, idOf('project', userId, place.data.id)]
      for (const id of ids) {
        const there = await store.find(userId, id)
        if (there !== null) return id
      }
      const { name, instructions, model, search } = fields
      const media_ids = await store.ownOf(userId, place.data.items)
      const read = createProjectSchema.safeParse({
        name,
        instructions,
        model,
        search,
        media_ids,
        limited: fields.limited === true,
      })
      if (!read.success || (await store.count(userId)) >= MAX_PROJECTS) return null
      return store.add(userId, read.data, ids[1])
    },

    /** Its conversations stay. @throws NotFoundError */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw notFound()
    },

    /** A project's contribution to an answer. @throws NotFoundError */
    async surroundingsOf(reader: ProjectReader, id: string): Promise<ProjectSurroundings> {
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
      }
    },
  }
}
