import type {
  CodedSentence,
  NotificationKind,
  NotificationsResponse,
  NotificationsShownResponse,
  UserEventJson,
} from '@mira/shared'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { readTimeCursor, writeTimeCursor } from '../../../platform/lib/cursor.ts'
import { cutPage, type PageQuery } from '../../../platform/lib/page.ts'
import type { NotificationRow, NotificationsStore } from './notifications.store.ts'

/** Something that a person is told of. */
export interface NewNotification {
  kind: NotificationKind
  /** Parameters of its sentence, by kind: `title`, `count`, `reason`, `text`; long texts are cut. */
  params?: Record<string, string | number>
  /** Its reason in machine words. */
  told?: CodedSentence[]
  /** A path of the web app. */
  link?: string
  /** Id of what it is about, with which it goes. */
  subjectId?: string
  /**
   * Unread notifications to merge with: those of the same kind within the last minutes (the sentence then has only a
   * `count`
   * and leads to `link`), or those about the same subject.
   */
  joins?: { by: 'kind'; link: string } | { by: 'subject' }
}

/** Tells a person of something: kept until they have read it, and shown at once wherever they are. */
export type Notify = (userId: string, given: NewNotification) => Promise<void>

/** Does as `Notify` in a transaction; what it returns is called when that is committed, and shows it. */
export type NotifyIn = (tx: Prisma.TransactionClient, userId: string, given: NewNotification) => Promise<() => void>

interface NotificationsDeps {
  store: NotificationsStore
  publish(userId: string, event: UserEventJson): void
}

/** Longest text inside a sentence: an event must fit into a message between servers. */
const PARAM_MAX_CHARACTERS = 500

/** Unread ones of a kind are put together while the newest of them is younger than this. */
const JOINED_WITHIN_MINUTES = 15

export type NotificationsService = ReturnType<typeof createNotificationsService>

/** Notifications of each user, kept beyond reading. */
export function createNotificationsService({ store, publish }: NotificationsDeps) {
  const notifyIn: NotifyIn = async (tx, userId, { kind, params = {}, told = [], link, subjectId, joins }) => {
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
      joins: joins?.by === 'kind' ? { ...joins, withinMinutes: JOINED_WITHIN_MINUTES } : (joins ?? null),
    })
    return () =>
      publish(userId, { type: 'notification', notification: { id, kind, params: row.params, link: row.link } })
  }

  const notify: Notify = async (userId, given) => {
    const show = await store.prisma.$transaction((tx) => notifyIn(tx, userId, given))
    show()
  }

  return {
    notify,
    notifyIn,

    /** A page of what a person was told, newest first. @throws ValidationError when the cursor is none of ours. */
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

    /** Gives what the caller's device is to show by itself: reminders that no device of theirs has shown. */
    async claimShown(userId: string, subjectId?: string): Promise<NotificationsShownResponse> {
      return { notifications: (await store.claimShown(userId, subjectId)).map(present) }
    },

    /** Marks these as read, or all. */
    async read(userId: string, ids?: string[]): Promise<void> {
      if ((await store.markRead(userId, ids)) > 0) publish(userId, { type: 'notifications.read' })
    },

    /** Marks what is told of a thing as read. */
    async readOf(userId: string, subjectId: string): Promise<void> {
      if (await store.markReadOf(store.prisma, userId, subjectId)) publish(userId, { type: 'notifications.read' })
    },

    /** Has every page of a person read anew what is behind the bell, after something of it went with its subject. */
    tellChanged: (userId: string): void => publish(userId, { type: 'notifications.read' }),
  }
}

function present({ id, kind, params, told, link, createdAt, readAt }: NotificationRow) {
  return { id, kind, params, told, link, created_at: createdAt, read_at: readAt }
}

/** A position in the list stays where it is when its row is put together with a newer one, or goes. */
