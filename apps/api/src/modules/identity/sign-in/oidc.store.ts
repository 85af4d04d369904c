import type { User } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

export type OidcStore = ReturnType<typeof createOidcStore>

/** Rows of identities at providers. */
export function createOidcStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    async find(
      identity: { issuer: string; subject: string },
      tx: PrismaTransaction,
    ): Promise<{ userId: string; isSuspended: boolean } | null> {
      const row = await tx.oidcIdentity.findUnique({
        where: { issuer_subject: identity },
        select: { userId: true, suspendedAt: true },
      })
      return row && { userId: row.userId, isSuspended: row.suspendedAt !== null }
    },

    /** Reactivates an identity that a restore suspended. */
    async confirm(identity: { issuer: string; subject: string }, tx: PrismaTransaction): Promise<void> {
      await tx.oidcIdentity.update({ where: { issuer_subject: identity }, data: { suspendedAt: null } })
    },

    async insert(identity: { userId: string; issuer: string; subject: string }, tx: PrismaTransaction): Promise<void> {
      await tx.oidcIdentity.create({ data: identity })
    },

    /** True when the account is already linked to another identity at the provider. */
    async hasOther({ userId, issuer }: { userId: string; issuer: string }, tx: PrismaTransaction): Promise<boolean> {
      return (await tx.oidcIdentity.count({ where: { userId, issuer } })) > 0
    },

    /** Case-insensitive. */
    async findByEmail(email: string, tx: PrismaTransaction = prisma): Promise<Pick<User, 'id'> | null> {
      const [user] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM users WHERE lower(email) = lower(${email})`
      return user ?? null
    },

    async isTaken(username: string, tx: PrismaTransaction): Promise<boolean> {
      const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM users WHERE lower(username) = lower(${username})`
      return rows.length > 0
    },
  }
}
