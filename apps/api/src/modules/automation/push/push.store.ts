import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'

/** A device that is told, as a row; what it is reached by is sealed. */
export interface SubscriptionRow {
  id: string
  userId: string
  sealed: string
  user: { language: string; chosenLanguage: string | null; isActive: boolean }
}

/** Subject of a push message. */
export interface ToldThing {
  kind: string
  params: Record<string, string | number>
  link: string | null
}

/** Most devices of one person; the oldest gives way to a new one. */
const MAX_SUBSCRIPTIONS = 20
const selectIds = prepared('SELECT id FROM push_subscriptions WHERE user_id = $1')

export type PushStore = ReturnType<typeof createPushStore>

/** The keys of the instance, and the devices of people that are told. */
export function createPushStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** The keys that all servers sign with. */
    keys: () => prisma.pushKey.findUnique({ where: { id: 1 } }),

    /** Keeps new keys, unless another server was quicker; `instead` replaces those that cannot be read any more. */
    async keepKeys(keys: { publicKey: string; sealedPrivateKey: string }, instead: boolean): Promise<void> {
      if (!instead) {
        await prisma.pushKey.createMany({ data: { id: 1, ...keys }, skipDuplicates: true })
        return
      }
      // whoever subscribed did so with the keys before
      await prisma.$transaction([
        prisma.pushSubscription.deleteMany(),
        prisma.pushKey.update({ where: { id: 1 }, data: keys }),
      ])
    },

    /** Keeps a device; one that is known belongs to whoever is signed in on it now. */
    async add(given: {
      userId: string
      authSessionId: string | null
      fingerprint: string
      sealed: string
    }): Promise<string> {
      const { fingerprint, ...data } = given
      const { id } = await prisma.pushSubscription.upsert({
        where: { fingerprint },
        create: { id: newId(), ...given },
        update: data,
        select: { id: true },
      })
      const surplus = await prisma.pushSubscription.findMany({
        where: { userId: given.userId },
        orderBy: { createdAt: 'desc' },
        skip: MAX_SUBSCRIPTIONS,
        select: { id: true },
      })
      await prisma.pushSubscription.deleteMany({ where: { id: { in: surplus.map((one) => one.id) } } })
      return id
    },

    async removeOf(userId: string, fingerprint: string): Promise<boolean> {
      return (await prisma.pushSubscription.deleteMany({ where: { userId, fingerprint } })).count > 0
    },

    remove: async (id: string): Promise<void> => {
      await prisma.pushSubscription.deleteMany({ where: { id } })
    },

    async idsOf(userId: string): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(selectIds([userId]))
      return rows.map(({ id }) => id)
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
    async notification(userId: string, id: string): Promise<ToldThing | null> {
      const found = await prisma.notification.findUnique({
        where: { id, userId, readAt: null },
        select: { kind: true, params: true, link: true },
      })
      return found && { ...found, params: found.params as ToldThing['params'] }
    },

    /** Upload time of a notification's item; null for several items or none. */
    async itemAddedAt(userId: string, notificationId: string): Promise<Date | null> {
      const rows = await prisma.$queryRaw<{ createdAt: Date }[]>`
        SELECT m.created_at AS "createdAt" FROM notifications n JOIN media_items m ON m.id = n.subject_id
        WHERE n.id = ${notificationId}::uuid AND n.user_id = ${userId}::uuid`
      return rows[0]?.createdAt ?? null
    },

    async conversation(userId: string, id: string): Promise<{ name: string } | null> {
      const found = await prisma.chatSession.findUnique({ where: { id, userId }, select: { sessionName: true } })
      return found && { name: found.sessionName }
    },
  }
}
