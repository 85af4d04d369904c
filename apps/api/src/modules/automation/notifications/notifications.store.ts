import type { CodedSentence, NotificationKind } from '@mira/shared'
import type { Database, Queryable } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'

export interface NotificationRow {
  id: string
  kind: NotificationKind
  params: Record<string, string | number>
  sentences: CodedSentence[]
  link: string | null
  createdAt: Date
  readAt: Date | null
}

/** A new notification; `joins` selects the unread one to merge with. */
interface NotificationRecord {
  kind: NotificationKind
  params: Record<string, string | number>
  sentences: CodedSentence[]
  link: string | null
  subjectId: string | null
  joins: { by: 'kind'; link: string; withinMinutes: number } | { by: 'subject' } | null
}

export type NotificationsStore = ReturnType<typeof createNotificationsStore>

export function createNotificationsStore({ prisma }: Pick<Database, 'prisma'>) {
  const columns = { id: true, kind: true, params: true, link: true, createdAt: true, readAt: true } as const
  type Selected = { kind: string; params: unknown } & Pick<NotificationRow, 'id' | 'link' | 'createdAt' | 'readAt'>
  // The coded reason and the subject of the last merged notification are stored among the parameters.
  const toRow = (row: Selected): NotificationRow => {
    const {
      told = [],
      last_subject_id: _,
      ...params
    } = row.params as NotificationRow['params'] & {
      told?: CodedSentence[]
      last_subject_id?: string
    }
    return { ...row, kind: row.kind as NotificationKind, params, sentences: told }
  }

  /** The unread notification to merge with, locked until the transaction ends. */
  const findMergeable = async (tx: Queryable, userId: string, { kind, subjectId, joins }: NotificationRecord) => {
    if (joins === null) return null
    const rows =
      joins.by === 'kind'
        ? await tx.$queryRaw<Pick<NotificationRow, 'id' | 'params'>[]>`
            SELECT id, params FROM notifications WHERE user_id = ${userId}::uuid AND kind = ${kind} AND read_at IS NULL
              AND created_at > now() - make_interval(mins => ${joins.withinMinutes}::int)
            ORDER BY created_at DESC, id DESC LIMIT 1 FOR UPDATE`
        : await tx.$queryRaw<Pick<NotificationRow, 'id' | 'params'>[]>`
            SELECT id, params FROM notifications WHERE user_id = ${userId}::uuid AND kind = ${kind} AND read_at IS NULL
              AND subject_id = ${subjectId}::uuid LIMIT 1 FOR UPDATE`
    return rows[0] ?? null
  }

  return {
    prisma,

    /** Stores a notification, or merges it with an unread one and increments its `count`. */
    async add(tx: Queryable, userId: string, record: NotificationRecord): Promise<NotificationRow> {
      const { kind, sentences: reason, link, subjectId, joins } = record
      const params = reason.length > 0 ? { ...record.params, told: reason } : record.params
      const existing = await findMergeable(tx, userId, record)
      if (existing === null || joins === null) {
        const data = { id: newId(), userId, kind, params, link, subjectId }
        return toRow(await tx.notification.create({ data, select: columns }))
      }
      const count = Number(existing.params.count ?? 1) + 1
      // A notification about several items has no title, and stays when one of them is deleted.
      const changes =
        joins.by === 'kind'
          ? { params: { last_subject_id: subjectId }, link: joins.link, subjectId: null }
          : { params, link }
      return toRow(
        await tx.notification.update({
          where: { id: existing.id },
          // The merged notification counts as new, so that devices show it again.
          data: { ...changes, params: { ...changes.params, count }, createdAt: new Date(), shownAt: null },
          select: columns,
        }),
      )
    },

    /** A user's notifications, newest first; with `unread`, only unread ones. */
    async list(
      userId: string,
      { limit, after, unread }: { limit: number; after: TimePosition | null; unread: boolean },
    ): Promise<NotificationRow[]> {
      const rows = await prisma.$queryRaw<Selected[]>`
        SELECT id, kind, params, link, created_at AS "createdAt", read_at AS "readAt" FROM notifications
        WHERE user_id = ${userId}::uuid AND (NOT ${unread} OR read_at IS NULL)
          AND (${after?.id ?? null}::uuid IS NULL OR
            (created_at, id) < (${after?.createdAt ?? null}::timestamptz, ${after?.id ?? null}::uuid))
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`
      return rows.map(toRow)
    },

    countUnread: (userId: string): Promise<number> => prisma.notification.count({ where: { userId, readAt: null } }),

    /** Marks these notifications as read, or all when `ids` is undefined. @returns how many were unread. */
    async markRead(userId: string, ids: string[] | undefined): Promise<number> {
      const { count } = await prisma.notification.updateMany({
        where: { userId, readAt: null, ...(ids === undefined ? {} : { id: { in: ids } }) },
        data: { readAt: new Date() },
      })
      return count
    },

    /** Claims unread notifications of due reminders that no device has shown yet, of one reminder or of all; newest first. */
    async claimUnshown(userId: string, subjectId: string | undefined): Promise<NotificationRow[]> {
      const rows = await prisma.$queryRaw<Selected[]>`
        UPDATE notifications SET shown_at = now()
        WHERE user_id = ${userId}::uuid AND kind = 'reminder_due' AND read_at IS NULL AND shown_at IS NULL
          AND (${subjectId ?? null}::uuid IS NULL OR subject_id = ${subjectId ?? null}::uuid)
        RETURNING id, kind, params, link, created_at AS "createdAt", read_at AS "readAt"`
      return rows.map(toRow).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    },

    /** Removes notifications about a subject. */
    async removeBySubject(tx: Queryable, userId: string, subjectId: string): Promise<void> {
      await tx.notification.deleteMany({ where: { userId, subjectId } })
    },

    /** @returns true when any was unread. */
    async markReadBySubject(tx: Queryable, userId: string, subjectId: string): Promise<boolean> {
      const { count } = await tx.notification.updateMany({
        where: { userId, subjectId, readAt: null },
        data: { readAt: new Date() },
      })
      return count > 0
    },
  }
}
