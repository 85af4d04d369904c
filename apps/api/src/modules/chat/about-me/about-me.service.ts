import {
  type CreateFact,
  type Fact,
  type FactsQuery,
  type FactsResponse,
  type Instructions,
  MAX_FACTS,
  type UpdateFact,
  type UpdateInstructions,
} from '@mira/shared'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import { cutPage, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import type { AboutMeStore, FactRow, KnownAboutUser } from './about-me.store.ts'

export type AboutMeService = ReturnType<typeof createAboutMeService>

const defaultInstructions: Instructions = { about_me: '', how_to_answer: '', uses_facts: true }

const notFound = () => new NotFoundError('This fact is no longer remembered.')

/** Instructions and remembered facts for the assistant. */
export function createAboutMeService({ store }: { store: AboutMeStore }) {
  const add = async (
    userId: string,
    fact: CreateFact,
    sessionId: string | null,
  ): Promise<{ fact: Fact; isNew: boolean }> => {
    const existing = await store.findSame(userId, fact.text)
    if (existing !== null) return { fact: presentFact(existing), isNew: false }
    const row = await store.add(userId, { ...fact, sessionId }, MAX_FACTS)
    if (row === null) {
      throw new ConflictError(`You can have at most ${MAX_FACTS} facts remembered. Delete some first.`, {
        code: 'too_many_facts',
      })
    }
    return { fact: presentFact(row), isNew: true }
  }

  return {
    instructions: async (userId: string): Promise<Instructions> =>
      (await store.findInstructions(userId)) ?? defaultInstructions,

    updateInstructions: (userId: string, changes: UpdateInstructions): Promise<Instructions> =>
      store.updateInstructions(userId, changes),

    /** Instructions and newest facts for an answer. */
    contextForAnswer: async (userId: string, maxFacts: number): Promise<KnownAboutUser> =>
      (await store.readContext(userId, maxFacts)) ?? { instructions: defaultInstructions, facts: [] },

    async facts(userId: string, { limit, cursor, query }: FactsQuery): Promise<FactsResponse> {
      const { rows, total } = await store.list(userId, { limit: limit + 1, after: readTimeCursor(cursor), query })
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      return { facts: items.map(presentFact), next_cursor: nextCursor, total }
    },

    /** Remembers a fact, or returns an existing one with the same text. @throws ConflictError when there are too many */
    addFact: (userId: string, fact: CreateFact): Promise<{ fact: Fact; isNew: boolean }> => add(userId, fact, null),

    /** Remembers a fact that the user allowed in a conversation. @throws ConflictError when there are too many */
    rememberFact: async (userId: string, text: string, sessionId: string): Promise<Fact> =>
      (await add(userId, { text, source: 'chat' }, sessionId)).fact,

    /** @throws NotFoundError */
    async updateFact(userId: string, id: string, changes: UpdateFact): Promise<Fact> {
      const row = await store.change(userId, id, changes)
      if (row === null) throw notFound()
      return presentFact(row)
    },

    /** @throws NotFoundError */
    async removeFact(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw notFound()
    },
  }
}

function presentFact({ id, text, source, sessionId, sessionName, createdAt, updatedAt }: FactRow): Fact {
  return {
    id,
    text,
    source,
    session: sessionId === null ? null : { id: sessionId, name: sessionName ?? '' },
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
