import type { UserSignIn } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

export type SignInStore = ReturnType<typeof createSignInStore>

/** Used tickets, sign-in methods of accounts, and the start of sessions. */
export function createSignInStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** Records that a ticket was used. @returns false when it was used before. */
    async insertUsedTicket(id: string, expiresAt: Date, tx: PrismaTransaction = prisma): Promise<boolean> {
      const { count } = await tx.usedTicket.createMany({ data: { id, expiresAt }, skipDuplicates: true })
      return count > 0
    },

    /** Sign-in methods of an account; null when there's no such account. */
    async findSignInMethods(userId: string): Promise<UserSignIn | null> {
      const { rows } = await pool.query<UserSignIn>(
        sql`SELECT u.password_hash IS NOT NULL AS has_password, u.must_change_password,
           EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL) AS totp,
           (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
           EXISTS (SELECT FROM oidc_identities o
             WHERE o.user_id = u.id AND o.suspended_at IS DISTINCT FROM 'infinity') AS oidc
         FROM users u WHERE u.id = ${userId}`,
      )
      return rows[0] ?? null
    },

    /** Start of a session; null when it has ended. */
    async findSessionStart(userId: string, sessionId: string): Promise<Date | null> {
      const session = await prisma.authSession.findFirst({
        where: { id: sessionId, userId, expiresAt: { gt: new Date() } },
        select: { createdAt: true },
      })
      return session?.createdAt ?? null
    },
  }
}
