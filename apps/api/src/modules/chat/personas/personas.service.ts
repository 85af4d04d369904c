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
import { type AnswerContext, importExported, listByName } from '../projects-and-personas.ts'
import type { PersonasStore } from './personas.store.ts'

export type PersonasService = ReturnType<typeof createPersonasService>

interface PersonasDeps {
  store: PersonasStore
  agents: AgentsService
}

const notFound = () => new NotFoundError('This assistant no longer exists.')

/** Personas of the assistant: each user's own, or shared with everyone by an administrator. */
export function createPersonasService({ store, agents }: PersonasDeps) {
  const requirePersona = async (userId: string, id: string): Promise<Persona> => {
    const persona = await store.find(userId, id)
    if (persona === null) throw notFound()
    return persona
  }

  /** @throws NotFoundError unless it's the user's own, ConflictError when it's shared */
  const requireUnshared = async (userId: string, id: string): Promise<void> => {
    const { own, shared } = await requirePersona(userId, id)
    if (!own) throw notFound()
    if (shared) {
      throw new ConflictError('This assistant is shared with everyone. Only an administrator can change it.', {
        code: 'persona_shared',
      })
    }
  }

  return {
    /** The user's own and shared personas. */
    async list(userId: string, query: PageQuery): Promise<PersonasResponse> {
      const { items, nextCursor } = await listByName((after, limit) => store.list(userId, after, limit), query)
      return { personas: items, next_cursor: nextCursor }
    },

    /** Tools that a persona may be allowed. */
    tools: (userId: string): PersonaTools => {
      const names = agents.tools(userId).map(({ agentName }) => agentName)
      return { tools: [...new Set([...names, ...answerToolNames])] }
    },

    /** @throws NotFoundError when it's neither the user's nor shared */
    find: requirePersona,

    /** @throws ConflictError when there are too many, NotFoundError when an item isn't the user's */
    async add(userId: string, persona: CreatePersona): Promise<Persona> {
      if ((await store.count(userId)) >= MAX_PERSONAS) {
        throw new ConflictError(`You can have at most ${MAX_PERSONAS} assistants. Delete some first.`, {
          code: 'too_many_personas',
        })
      }
      await store.requireItems(userId, persona.media_ids)
      return requirePersona(userId, await store.add(userId, persona))
    },

    /** Imports a persona from an export. @returns its id; null when it's invalid @throws ConflictError when there are too many */
    importOne: (userId: string, fields: Record<string, unknown>): Promise<string | null> =>
      importExported(userId, fields, {
        kind: 'persona',
        schema: createPersonaSchema,
        max: MAX_PERSONAS,
        isOwn: async (id) => (await store.find(userId, id))?.own === true,
        store,
      }),

    /** @throws NotFoundError when it or an item isn't the user's, ConflictError when it's shared */
    async update(userId: string, id: string, changes: UpdatePersona): Promise<Persona> {
      await requireUnshared(userId, id)
      await store.requireItems(userId, changes.media_ids)
      await store.change(userId, id, changes)
      return requirePersona(userId, id)
    },

    /** Deletes a persona but not its conversations. @throws NotFoundError, ConflictError when it's shared */
    async remove(userId: string, id: string): Promise<void> {
      await requireUnshared(userId, id)
      await store.remove(id)
    },

    /**
     * Changes or shares a persona that is the administrator's own or shared.
     * @throws NotFoundError, ForbiddenError for changes that only its creator may make
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

    /** Deletes a shared persona or an administrator's own. @throws NotFoundError */
    async removeShared(adminId: string, id: string): Promise<void> {
      await requirePersona(adminId, id)
      await store.remove(id)
    },

    /** A persona's contribution to an answer; null when the user may no longer use it. */
    async answerContextOf(userId: string, id: string): Promise<AnswerContext | null> {
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
