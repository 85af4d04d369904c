import {
  type AdministerPersona,
  answerToolNames,
  type CreatePersona,
  createPersonaSchema,
  MAX_PERSONAS,
  type Persona,
  type PersonasResponse,
  type PersonaTools,
  type UpdatePersona,
} from '@mira/shared'
import { ConflictError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import type { PageQuery } from '../../../platform/lib/page.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import { bringExported, listByName, type Surroundings } from '../surroundings.ts'
import type { PersonasStore } from './personas.store.ts'

export type PersonasService = ReturnType<typeof createPersonasService>

interface PersonasDeps {
  store: PersonasStore
  agents: AgentsService
}

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
    async list(userId: string, query: PageQuery): Promise<PersonasResponse> {
      const { items, nextCursor } = await listByName((after, limit) => store.list(userId, after, limit), query)
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

    /** Imports a persona from an export. @returns its id; null when it's invalid. @throws ConflictError when there are too many. */
    bring: (userId: string, fields: Record<string, unknown>): Promise<string | null> =>
      bringExported(userId, fields, {
        kind: 'persona',
        schema: createPersonaSchema,
        max: MAX_PERSONAS,
        isOwn: async (id) => (await store.find(userId, id))?.own === true,
        store,
      }),

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
    async surroundingsOf(userId: string, id: string): Promise<Surroundings | null> {
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
