import {
  type ChangeChatSessions,
  type ChatMessageView,
  type ChatSessionDetail,
  type ChatSessionQuery,
  type ChatSessionView,
  type ChatStats,
  type ChatTags,
  type ListChatSessionsQuery,
  MAX_SHOWN_VERSIONS,
  SESSION_MAX_TAGS,
  type UpdateChatSession,
} from '@mira/shared'
import { z } from 'zod'
import { ConflictError } from '../../../errors.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { cutPage, foreignCursor, type Page, readCursor, writeCursor } from '../../../platform/lib/page.ts'
import { trashTimes } from '../../../platform/lib/trash-times.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { PersonasService } from '../personas/personas.service.ts'
import type { ProjectsService } from '../projects/projects.service.ts'
import type { Answers } from '../turns/answers.service.ts'
import type { ChooseEngine } from '../turns/choose-engine.ts'
import type { BranchesStore } from './branches.store.ts'
import type { BulkStore } from './bulk.store.ts'
import {
  conversationNotFound,
  type MessageViews,
  noAnswer,
  noMessage,
  presentSession,
  toSeconds,
  updatedEvent,
} from './present.ts'
import type { SessionPosition, SessionRow, SessionSort, SessionsStore } from './sessions.store.ts'
import type { BackgroundWriting } from './titles-and-summaries.ts'

/** Sort order of a list; a cursor is only valid for the order that it was created for. */
interface Order {
  sort: SessionSort
  order: 'asc' | 'desc'
}

const cursorSchema = z.object({
  sort: z.string(),
  order: z.string(),
  value: z.union([z.string().max(400), z.number()]),
  id: z.uuid(),
  pinned: z.boolean(),
})
/** Valid cursor values of each sorted column; the database would fail on others. */
const valueSchemas: Record<SessionSort, z.ZodType> = {
  updated: z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0),
  name: z.string().refine((text) => !text.includes('\0')),
  messages: z.int32(),
  // The database returns bigint as text.
  tokens: z.union([z.int(), z.string().regex(/^\d{1,18}$/)]),
  response_time: z.number(),
}

/** Opaque start of the next page. */
export function writeSessionCursor({ value, id, isPinned }: SessionPosition, { sort, order }: Order): string {
  return writeCursor({ sort, order, value, id, pinned: isPinned })
}

/** @throws ValidationError when the cursor is invalid or belongs to another order */
export function readSessionCursor(cursor: string, { sort, order }: Order): SessionPosition {
  const { value, id, pinned: isPinned, ...cursorOrder } = readCursor(cursor, cursorSchema)
  const hasSameOrder = cursorOrder.sort === sort && cursorOrder.order === order
  if (!hasSameOrder || !valueSchemas[sort].safeParse(value).success) throw foreignCursor()
  return { value, id, isPinned }
}

export interface SessionsDeps {
  store: SessionsStore
  settings: SettingsReader
  bulk: BulkStore
  branches: BranchesStore
  answers: Answers
  views: MessageViews
  writing: BackgroundWriting
  queue: Queue
  chooseEngine: ChooseEngine
  projects: ProjectsService
  personas: PersonasService
  events: Events
}

export type SessionsService = ReturnType<typeof createSessionsService>

/** Lists, shows, changes and deletes conversations. */
export function createSessionsService(deps: SessionsDeps) {
  const { store, bulk, branches, answers, views, writing, queue, chooseEngine, projects, personas } = deps

  const trashDays = () => deps.settings.current().retention.trash_days
  const publishUpdate = (userId: string, sessionId: string, deleted?: boolean) =>
    deps.events.publish(userId, updatedEvent(sessionId, deleted))

  const requireSession = async (userId: string, id: string) => {
    const session = await store.findSession(userId, id)
    if (session === null) throw conversationNotFound()
    return session
  }

  const deleteSessions = async (userId: string, ids: string[], place?: 'trash'): Promise<number> => {
    const owned = await bulk.owned(userId, ids, place)
    for (const id of owned) writing.cancelWriting(id)
    await answers.abandon(owned)
    const deleted = await bulk.remove(userId, owned, place)
    for (const id of deleted) publishUpdate(userId, id, true)
    if (deleted.length > 0) await queue.enqueue('delete-files', { loose: true })
    return deleted.length
  }

  /** Moves conversations to the trash, after stopping their running answers, whose text so far is kept. */
  const trashSessions = async (userId: string, ids: string[]): Promise<number> => {
    if (trashDays() === 0) {
      throw new ConflictError('This server has no trash: deleting is final.', { code: 'trash_off' })
    }
    const owned = await bulk.owned(userId, ids)
    for (const id of owned) writing.cancelWriting(id)
    await answers.abandon(owned, 'stopped')
    const trashed = await bulk.trash(userId, owned)
    for (const id of trashed) publishUpdate(userId, id, true)
    return trashed.length
  }

  return {
    /** @throws ValidationError for a cursor of another list */
    async list(userId: string, query: ListChatSessionsQuery): Promise<Page<ChatSessionView>> {
      const { limit, cursor, ...filter } = query
      const after = cursor === undefined ? undefined : readSessionCursor(cursor, filter)
      const rows = await store.listSessions({ userId, ...filter, after, limit: limit + 1 })
      const { items, nextCursor } = cutPage(rows, limit, ({ position }) => writeSessionCursor(position, filter))
      const present = (row: SessionRow) => ({
        ...presentSession(row),
        ...trashTimes(row.trashed_at ?? null, trashDays()),
      })
      return { items: items.map(present), nextCursor }
    },

    /** A conversation with the newest messages of its branch, oldest first. @throws NotFoundError */
    async get(userId: string, id: string, { limit, before }: ChatSessionQuery): Promise<ChatSessionDetail> {
      const session = await requireSession(userId, id)
      if (before !== undefined && !(await store.hasMessage(userId, id, before))) throw noMessage()
      const rows = await store.listMessages(id, limit, before ?? null)
      const messages = await views.present(userId, rows.reverse())
      const oldest = messages[0]
      return {
        ...presentSession(session),
        model: session.model,
        parameters: session.parameters,
        messages,
        previous_cursor: oldest && oldest.parent_id !== null ? oldest.id : null,
      }
    },

    /** @throws NotFoundError when the conversation or the message isn't the user's, ValidationError for a model that isn't connected. */
    async update(userId: string, id: string, changes: UpdateChatSession): Promise<ChatSessionView> {
      const { session_name: sessionName, status, current_message_id: chosenId, pinned: isPinned } = changes
      const { archived: isArchived, tags, project_id: projectId, persona_id: personaId, model, parameters } = changes
      await requireSession(userId, id)
      if (model) await chooseEngine.requireKnown(model)
      if (projectId) await projects.find(userId, projectId)
      if (personaId) await personas.find(userId, personaId)
      const currentMessageId = chosenId === undefined ? undefined : await branches.newestBelow(userId, id, chosenId)
      if (currentMessageId === null) throw noMessage()
      const isCompleted = status === undefined ? undefined : status === 'completed'
      await store.updateSession(userId, id, {
        sessionName,
        isCompleted,
        currentMessageId,
        isPinned,
        isArchived,
        tags,
        projectId,
        personaId,
        model,
        parameters,
      })
      publishUpdate(userId, id)
      return presentSession(await requireSession(userId, id))
    },

    /** @throws NotFoundError */
    async remove(userId: string, id: string): Promise<void> {
      if ((await deleteSessions(userId, [id])) === 0) throw conversationNotFound()
    },

    /** Deletes conversations; returns their number. */
    removeMany: deleteSessions,

    /** Moves conversations to the trash; returns their number. @throws ConflictError when the trash is off */
    trashMany: trashSessions,

    /** Restores conversations from the user's trash; returns their number. */
    async restoreMany(userId: string, ids: string[]): Promise<number> {
      const restored = await bulk.restore(userId, ids)
      for (const id of restored) publishUpdate(userId, id)
      return restored.length
    },

    /**
     * Changes conversations; returns their number.
     * @throws ConflictError when one would have too many tags, NotFoundError when the project isn't the user's
     */
    async changeMany(userId: string, changes: ChangeChatSessions): Promise<number> {
      if (changes.project_id) await projects.find(userId, changes.project_id)
      const changed = await bulk.change(userId, changes)
      if (changed === 'too-many-tags') {
        throw new ConflictError(`A conversation has at most ${SESSION_MAX_TAGS} tags. Remove some first.`, {
          code: 'too_many_tags',
        })
      }
      for (const id of changed) publishUpdate(userId, id)
      return changed.length
    },

    /** Tags of the user's conversations, most used first. */
    listTags: async (userId: string): Promise<ChatTags> => ({ tags: await bulk.listTags(userId) }),

    /**
     * Newest answers to the same question, including this one, oldest first.
     * @throws NotFoundError when it isn't the user's, ValidationError for a user's message
     */
    async versions(userId: string, answerId: string): Promise<ChatMessageView[]> {
      const message = await branches.findMessage(userId, answerId)
      if (message === null) throw noMessage()
      if (message.question === null) throw noAnswer()
      const rows = await branches.readVersions(answerId, MAX_SHOWN_VERSIONS)
      return views.present(userId, rows)
    },

    async stats(userId: string): Promise<ChatStats> {
      const { total, active, agentCalls, avgResponseMs } = await store.stats(userId)
      return {
        total_sessions: total,
        active_sessions: active,
        agent_usage: agentCalls,
        avg_response_time: toSeconds(avgResponseMs),
      }
    },
  }
}
