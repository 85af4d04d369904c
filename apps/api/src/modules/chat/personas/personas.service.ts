import {
  type AdministerPersona,
  answerToolNames,
  type CreatePersona,
  createPersonaSchema,
  MAX_PERSONAS,
  PERSONA_NAME_MAX_CHARACTERS,
  type Persona,
  type PersonasResponse,
  type PersonaTools,
  PROJECT_MAX_ITEMS,
  type UpdatePersona,
} from '@mira/shared'
import { z } from 'zod'
import { ConflictError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import { idOf } from '../../../platform/database/new-id.ts'
import { cutPage, type PageQuery, readCursor, writeCursor } from '../../../platform/lib/page.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { PersonasStore } from './personas.store.ts'

export type PersonasService = ReturnType<typeof createPersonasService>

/** A persona's contribution to the answers in its conversations. */
export interface PersonaSurroundings {
  instructions: string
  model: string | null
  /** Ids of the items that its owner is answered from; undefined for the whole memory. */
  knowledge: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools: string[] | undefined
}

export interface PersonasDeps {
  store: PersonasStore
  agents: AgentsService
}

/** Fields of an exported persona, in addition to the writable ones. */
const broughtSchema = z.object({ id: z.uuid(), items: z.array(z.uuid()).max(PROJECT_MAX_ITEMS).default([]) })

/** The persona that a page ends with. */
const positionSchema = z.object({ name: z.string().max(PERSONA_NAME_MAX_CHARACTERS), id: z.uuid() })

const notFound = () => new NotFoundError('This assistant is not there any more.')

/** Personas of the assistant: each user's own, or shared with everybody by an administrator. */
export function createPersonasService({ store, agents }: PersonasDeps) {
  const requirePersona = async (userId: string, id: string): Promise<Persona> => {
    const persona = await store.find(userId, id)
    if (persona === null) throw notFound()
    return persona
  }

  /** One of the user's own that nobody else talks to. */
  const requireUnshared = async (userId: string, id: string): Promise<void> => {
    const { own, shared } = await requirePersona(userId, id)
    if (!own) throw notFound()
    if (shared) {
      throw new ConflictError('Everybody uses this assistant. An administrator changes it in its shared form.', {
        code: 'persona_shared',
      })
    }
  }

  return {
    /** The user's own and those of everybody. */
    async list(userId: string, { limit, cursor }: PageQuery): Promise<PersonasResponse> {
      const after = cursor === undefined ? null : readCursor(cursor, positionSchema)
      const rows = await store.list(userId, after, limit + 1)
      const { items, nextCursor } = cutPage(rows, limit, ({ name, id }) => writeCursor({ name, id }))
      return { personas: items, next_cursor: nextCursor }
    },

    /** Tools that a persona may be allowed. */
    tools: (userId: string): PersonaTools => {
      const names = agents.tools(userId).map(({ agentName }) => agentName)
      return { tools: [...new Set([...names, ...answerToolNames])] }
    },

    /** @throws NotFoundError when it is neither the user's nor shared. */
    find: requirePersona,

    /** @throws ConflictError when there are too many, NotFoundError when an item is not the user's. */
    async add(userId: string, persona: CreatePersona): Promise<Persona> {
      if ((await store.count(userId)) >= MAX_PERSONAS) {
        throw new ConflictError(`There are at most ${MAX_PERSONAS} assistants. Delete some first.`, {
          code: 'too_many_personas',
        })
      }
      await store.requireItems(userId, persona.media_ids)
      return requirePersona(userId, await store.add(userId, persona))
    },

    /**
     * Imports a persona from an export, with those of its items that exist here; an existing one stays unchanged.
     * @returns its id; null when it's invalid, or there are too many.
     */
    async bring(userId: string, fields: Record<string, unknown>): Promise<string | null> {
      const place = broughtSchema.safeParse(fields)
      if (!place.success) return null
      const ids = [place.data.id, idOf('persona', userId, place.data.id)]
      for (const id of ids) {
        const there = await store.find(userId, id)
        if (there?.own) return id
      }
      const { name, description, instructions, model, tools, starters, picture } = fields
      const media_ids = await store.ownOf(userId, place.data.items)
      const read = createPersonaSchema.safeParse({
        name,
        description,
        instructions,
        model,
        tools,
        starters,
        picture,
        media_ids,
        limited: fields.limited === true,
      })
      if (!read.success || (await store.count(userId)) >= MAX_PERSONAS) return null
      return store.add(userId, read.data, ids[1])
    },

    /** @throws NotFoundError when it or an item is not the user's, ConflictError when everybody uses it. */
    async update(userId: string, id: string, changes: UpdatePersona): Promise<Persona> {
      await requireUnshared(userId, id)
      await store.requireItems(userId, changes.media_ids)
      await store.change(userId, id, changes)
      return requirePersona(userId, id)
    },

    /** Its conversations stay. @throws NotFoundError, ConflictError when everybody uses it. */
    async remove(userId: string, id: string): Promise<void> {
      await requireUnshared(userId, id)
      await store.remove(id)
    },

    /**
     * Changes or shares an administrator's own one, or one that is shared.
     * @throws NotFoundError, ForbiddenError when items are attached to that of somebody else.
     */
    async administer(adminId: string, id: string, changes: AdministerPersona): Promise<Persona> {
      const { own, shared } = await requirePersona(adminId, id)
      if (!own && (changes.media_ids !== undefined || changes.limited !== undefined)) {
        throw new ForbiddenError('Only its creator can attach items.', { code: 'persona_items_forbidden' })
      }
      await store.requireItems(adminId, changes.media_ids)
      if (!own && shared && changes.shared === false) {
        throw new ForbiddenError('Only its creator can stop sharing it; you can delete it.', {
          code: 'persona_unshare_forbidden',
        })
      }
      await store.change(adminId, id, changes)
      return requirePersona(adminId, id)
    },

    /** Deletes one that is shared, or an administrator's own. @throws NotFoundError */
    async removeShared(adminId: string, id: string): Promise<void> {
      await requirePersona(adminId, id)
      await store.remove(id)
    },

    /** A persona's contribution to an answer; null when the user may no longer talk to it. */
    async surroundingsOf(userId: string, id: string): Promise<PersonaSurroundings | null> {
      const persona = await store.find(userId, id)
      if (persona === null) return null
      const { name, instructions, model, tools, items, limited } = persona
      return {
        instructions:
          instructions === ''
            ? ''
            : `In this conversation you are ${JSON.stringify(name)}, which is described so:\n${instructions}`,
        model,
        knowledge: limited ? items.map(({ media_id }) => media_id) : undefined,
        allowedTools: tools ?? undefined,
      }
    },
  }
}
