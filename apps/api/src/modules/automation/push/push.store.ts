import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { sql } from '../../../platform/database/sql.ts'

/** A device, with its encrypted address and keys. */
interface SubscriptionRow {
  id: string
  userId: string
  sealed: string
  user: { language: string; chosenLanguage: string | null; isActive: boolean }
}

export interface PushedNotification {
  kind: string
  params: Record<string, string | number>
  link: string | null
}

/** Maximum number of devices per user; a new device replaces the oldest. */
const MAX_SUBSCRIPTIONS = 20

export type PushStore = ReturnType<typeof createPushStore>

/** Rows of the instance's keys and of users' devices. */
export function createPushStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** Keys that all servers sign with. */
    keys: () => prisma.pushKey.findUnique({ where: { id: 1 } }),

    /** Stores keys unless another server was first. `replaces` overwrites unreadable keys, and removes the devices that used them. */
    async storeKeys(keys: { publicKey: string; sealedPrivateKey: string }, replaces: boolean): Promise<void> {
      if (!replaces) {
        await prisma.pushKey.createMany({ data: { id: 1, ...keys }, skipDuplicates: true })
        return
      }
      await prisma.$transaction([
        prisma.pushSubscription.deleteMany(),
        prisma.pushKey.update({ where: { id: 1 }, data: keys }),
      ])
    },

    /** Stores a user's device. If it was another user's, that row is removed and the device gets a new id. @returns its id */
    async add(subscription: {
      userId: string
      authSessionId: string | null
      fingerprint: string
      sealed: string
    }): Promise<string> {
      const { fingerprint, ...data } = subscription
      const [, { id }] = await prisma.$transaction([
        prisma.pushSubscription.deleteMany({ where: { fingerprint, userId: { not: data.userId } } }),
        prisma.pushSubscription.upsert({
          where: { fingerprint },
          create: { id: newId(), ...subscription },
          update: data,
          select: { id: true },
        }),
      ])
      const surplus = await prisma.pushSubscription.findMany({
        where: { userId: subscription.userId },
        orderBy: { createdAt: 'desc' },
        skip: MAX_SUBSCRIPTIONS,
        select: { id: true },
      })
      await prisma.pushSubscription.deleteMany({ where: { id: { in: surplus.map((row) => row.id) } } })
      return id
    },

    async removeByFingerprint(userId: string, fingerprint: string): Promise<boolean> {
      return (await prisma.pushSubscription.deleteMany({ where: { userId, fingerprint } })).count > 0
    },

    remove: async (id: string): Promise<void> => {
      await prisma.pushSubscription.deleteMany({ where: { id } })
    },

    async idsOf(userId: string): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        prepared(sql`SELECT id FROM push_subscriptions WHERE user_id = ${userId}`),
      )
      return rows.map(({ id }) => id)
    },

    list: (userId: string): Promise<{ id: string; sealed: string }[]> =>
      prisma.pushSubscription.findMany({ where: { userId }, select: { id: true, sealed: true } }),

    /** Changes nothing when `sealed` is no longer `previous`. */
    async replaceSealed(id: string, previous: string, sealed: string): Promise<void> {
      await prisma.pushSubscription.updateMany({ where: { id, sealed: previous }, data: { sealed } })
    },

    find: (id: string): Promise<SubscriptionRow | null> =>
      prisma.pushSubscription.findUnique({
        where: { id },
        select: {
          id: true,
          userId: true,
          sealed: true,
          user: { select: { language: true, chosenLanguage: true, isActive: true } },
        },
      }),

    /** An unread notification; null when it's gone or already read. */
    async notification(userId: string, id: string): Promise<PushedNotification | null> {
      const row = await prisma.notification.findUnique({
        where: { id, userId, readAt: null },
        select: { kind: true, params: true, link: true },
      })
      return row && { ...row, params: row.params as PushedNotification['params'] }
    },

    /** Upload time of the item that a notification is about, or of the last of several; null when there is none. */
    async itemAddedAt(userId: string, notificationId: string): Promise<Date | null> {
      const rows = await prisma.$queryRaw<{ createdAt: Date }[]>`
        SELECT m.created_at AS "createdAt" FROM notifications n
        JOIN media_items m ON m.id = coalesce(n.subject_id, (n.params->>'last_subject_id')::uuid)
        WHERE n.id = ${notificationId}::uuid AND n.user_id = ${userId}::uuid`
      return rows[0]?.createdAt ?? null
    },

    async conversation(userId: string, id: string): Promise<{ name: string } | null> {
      const session = await prisma.chatSession.findUnique({ where: { id, userId }, select: { sessionName: true } })
      return session && { name: session.sessionName }
    },
  }
}
