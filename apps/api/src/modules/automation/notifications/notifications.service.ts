import type { CodedSentence, NotificationKind, NotificationsResponse, NotificationsShownResponse } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import { forUsers, type Sentence } from '../../../sentences.ts'
import type { NotificationRow, NotificationsStore } from './notifications.store.ts'

export interface NewNotification {
  kind: NotificationKind
  /** Parameters of the notification's text, depending on its kind: `title`, `count`, `reason`, `text`. Long texts are cut. */
  params?: Record<string, string | number>
  /** Coded sentences of the `reason`, for translation. */
  sentences?: CodedSentence[]
  /** A path of the web app. */
  link?: string
  /** Id of its subject, such as an item; the notification is removed when the subject is deleted. */
  subjectId?: string
  /**
   * Unread notification to merge with: one of the same kind from the last few minutes (the merged notification then has only
   * a `count`, and leads to `link`), or one about the same subject.
   */
  joins?: { by: 'kind'; link: string } | { by: 'subject' }
}

/** Maximum length of a parameter, so that an event fits into a message between servers. */
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
    { kind, params = {}, sentences = [], link, subjectId, joins }: NewNotification,
  ): Promise<() => void> => {
    const { id, ...row } = await store.add(tx, userId, {
      kind,
      params: Object.fromEntries(
        Object.entries(params).map(([name, value]) => [
          name,
          typeof value === 'string' ? cutText(value, PARAM_MAX_CHARACTERS) : value,
        ]),
      ),
      sentences,
      link: link ?? null,
      subjectId: subjectId ?? null,
      joins: joins?.by === 'kind' ? { ...joins, withinMinutes: MERGE_MINUTES } : (joins ?? null),
    })
    // Without details that only administrators may see, since the event goes to all of the user's pages.
    const shownParams = rewordReason(row.params, sentences, forUsers).params
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

    /** Claims, for the calling device, the due reminders that none of the user's devices has shown yet. */
    async claimUnshown(userId: string, subjectId?: string): Promise<NotificationsShownResponse> {
      return { notifications: (await store.claimUnshown(userId, subjectId)).map(present) }
    },

    /** Marks these notifications as read, or all when `ids` is undefined. */
    async markRead(userId: string, ids?: string[]): Promise<void> {
      if ((await store.markRead(userId, ids)) > 0) events.publish(userId, { type: 'notifications.read' })
    },

    /** Marks notifications about a subject as read. */
    async markReadBySubject(userId: string, subjectId: string): Promise<void> {
      if (await store.markReadBySubject(store.prisma, userId, subjectId))
        events.publish(userId, { type: 'notifications.read' })
    },

    removeBySubject: store.removeBySubject,

    /** Makes the user's open pages reload notifications, after some were removed with their subject. */
    announceChange: (userId: string): void => events.publish(userId, { type: 'notifications.read' }),
  }
}

function present({ id, kind, link, createdAt, readAt, ...row }: NotificationRow) {
  const { params, sentences: told } = rewordReason(row.params, row.sentences, forCaller)
  return { id, kind, params, told, link, created_at: createdAt, read_at: readAt }
}

/** A notification's parameters with the reason worded for its readers. */
function rewordReason(
  params: NotificationRow['params'],
  sentences: CodedSentence[],
  word: (sentence: Sentence) => Sentence,
): Pick<NotificationRow, 'params' | 'sentences'> {
  const { reason } = params
  if (typeof reason !== 'string') return { params, sentences }
  const shown = word({ text: reason, sentences })
  return { params: { ...params, reason: shown.text }, sentences: shown.sentences }
}
