import type { CodedSentence, NotificationKind, NotificationsResponse, NotificationsShownResponse } from '@mira/shared'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import { forUsers, type Sentence } from '../../../sentences.ts'
import type { NotificationRow, NotificationsStore } from './notifications.store.ts'

export interface NewNotification {
  kind: NotificationKind
  /** Parameters of its sentence, by kind: `title`, `count`, `reason`, `text`; long texts are cut. */
  params?: Record<string, string | number>
  /** The reason in its sentence as codes, for translation. */
  told?: CodedSentence[]
  /** A path of the web app. */
  link?: string
  /** Id of its subject, such as an item; the notification is removed when that is deleted. */
  subjectId?: string
  /**
   * Unread notification to merge with: one of the same kind within the last minutes (the merged one has only a `count`, and
   * leads to `link`), or one about the same subject.
   */
  joins?: { by: 'kind'; link: string } | { by: 'subject' }
}

/** Longest parameter: an event must fit into a message between servers. */
const PARAM_MAX_CHARACTERS = 500

/** Maximum age of an unread notification for merging a new one of its kind into it. */
const MERGE_MINUTES = 15

export type NotificationsService = ReturnType<typeof createNotificationsService>

/** Notifications of each user, kept after they're read. */
export function createNotificationsService({
  store,
  events,
}: {
  store: NotificationsStore
  events: Pick<Events, 'publish'>
}) {
  /** Stores a notification in a transaction. @returns a function that shows it, to be called after the commit. */
  const notifyIn = async (
    tx: Prisma.TransactionClient,
    userId: string,
    { kind, params = {}, told = [], link, subjectId, joins }: NewNotification,
  ): Promise<() => void> => {
    const { id, ...row } = await store.add(tx, userId, {
      kind,
      params: Object.fromEntries(
        Object.entries(params).map(([name, value]) => [
          name,
          typeof value === 'string' ? [...value].slice(0, PARAM_MAX_CHARACTERS).join('') : value,
        ]),
      ),
      told,
      link: link ?? null,
      subjectId: subjectId ?? null,
      joins: joins?.by === 'kind' ? { ...joins, withinMinutes: MERGE_MINUTES } : (joins ?? null),
    })
    // Without details that only administrators may see, since the event goes to all of the user's pages.
    const shownParams = wordedReason(row.params, told, forUsers).params
    return () =>
      events.publish(userId, { type: 'notification', notification: { id, kind, params: shownParams, link: row.link } })
  }

  return {
    notifyIn,

    /** Stores a notification and shows it on the user's open pages. */
    async notify(userId: string, notification: NewNotification): Promise<void> {
      const show = await store.prisma.$transaction((tx) => notifyIn(tx, userId, notification))
      show()
    },

    /** Newest first. @throws ValidationError for an invalid cursor. */
    async list(
      userId: string,
      { limit, cursor, unread }: PageQuery & { unread: boolean },
    ): Promise<NotificationsResponse> {
      const after = readTimeCursor(cursor)
      const [rows, unreadCount] = await Promise.all([
        store.list(userId, { limit: limit + 1, after, unread }),
        store.countUnread(userId),
      ])
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      return { notifications: items.map(present), next_cursor: nextCursor, unread_count: unreadCount }
    },

    /** Claims reminders that none of the user's devices has shown, for the calling one. */
    async claimShown(userId: string, subjectId?: string): Promise<NotificationsShownResponse> {
      return { notifications: (await store.claimShown(userId, subjectId)).map(present) }
    },

    /** Marks these as read, or all without ids. */
    async read(userId: string, ids?: string[]): Promise<void> {
      if ((await store.markRead(userId, ids)) > 0) events.publish(userId, { type: 'notifications.read' })
    },

    /** Marks notifications about a subject as read. */
    async readOf(userId: string, subjectId: string): Promise<void> {
      if (await store.markReadOf(store.prisma, userId, subjectId))
        events.publish(userId, { type: 'notifications.read' })
    },

    removeOf: store.removeOf,

    /** Makes the user's open pages reload notifications, after some were removed with their subject. */
    announceChange: (userId: string): void => events.publish(userId, { type: 'notifications.read' }),
  }
}

function present({ id, kind, params, told, link, createdAt, readAt }: NotificationRow) {
  return { id, kind, ...wordedReason(params, told, forCaller), link, created_at: createdAt, read_at: readAt }
}

/** A notification's parameters with the reason worded for its readers. */
function wordedReason(
  params: NotificationRow['params'],
  told: CodedSentence[],
  word: (sentence: Sentence) => Sentence,
): Pick<NotificationRow, 'params' | 'told'> {
  const { reason } = params
  if (typeof reason !== 'string') return { params, told }
  const shown = word({ text: reason, told })
  return { params: { ...params, reason: shown.text }, told: shown.told }
}
