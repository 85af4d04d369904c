import type { User } from '@mira/shared'
import type { PrismaTransaction } from '../users/users.store.ts'

interface Identity {
  issuer: string
  subject: string
}

/** Account linked to an identity; null also when the link was removed. */
export async function findLink(
  { issuer, subject }: Identity,
  tx: PrismaTransaction,
): Promise<{ userId: string; isSuspended: boolean } | null> {
  const [row] = await tx.$queryRaw<{ userId: string; isSuspended: boolean }[]>`
    SELECT user_id AS "userId", suspended_at IS NOT NULL AS "isSuspended" FROM oidc_identities
    WHERE issuer = ${issuer} AND subject = ${subject} AND suspended_at IS DISTINCT FROM 'infinity'`
  return row ?? null
}

/** Reactivates an identity that a restore suspended. */
export async function confirmIdentity(identity: Identity, tx: PrismaTransaction): Promise<void> {
  await tx.oidcIdentity.update({ where: { issuer_subject: identity }, data: { suspendedAt: null } })
}

/** Links an identity to an account, instead of the account's earlier links at this provider. */
export async function replaceLinks(
  { userId, issuer, subject }: Identity & { userId: string },
  tx: PrismaTransaction,
): Promise<void> {
  // The mark that another account removed this identity stays, so that no other identity is linked to that account automatically.
  await tx.$executeRaw`
    UPDATE oidc_identities SET subject = subject || ' removed from ' || user_id
    WHERE issuer = ${issuer} AND subject = ${subject} AND user_id <> ${userId}::uuid`
  await tx.oidcIdentity.deleteMany({ where: { issuer, userId } })
  await tx.oidcIdentity.create({ data: { userId, issuer, subject } })
}

/** Links of an account at a provider: `removed` when all were removed, null when there was never one. */
export async function linksOf(
  { userId, issuer }: { userId: string; issuer: string },
  tx: PrismaTransaction,
): Promise<'linked' | 'removed' | null> {
  const rows = await tx.$queryRaw<{ isRemoved: boolean }[]>`
    SELECT suspended_at IS NOT DISTINCT FROM 'infinity' AS "isRemoved" FROM oidc_identities
    WHERE user_id = ${userId}::uuid AND issuer = ${issuer}`
  if (rows.length === 0) return null
  return rows.every(({ isRemoved }) => isRemoved) ? 'removed' : 'linked'
}

/** True when the user can sign in without the provider. */
export async function hasOtherWay(userId: string, arePasswordsOn: boolean, tx: PrismaTransaction): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT FROM users u WHERE u.id = ${userId}::uuid
      AND (u.password_hash IS NOT NULL AND (${arePasswordsOn} OR u.role = 'admin')
        OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id AND p.suspended_at IS NULL))`
  return rows.length > 0
}

/** User with an email address, ignoring case. */
export async function findUserByEmail(email: string, tx: PrismaTransaction): Promise<Pick<User, 'id'> | null> {
  const [user] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM users WHERE lower(email) = lower(${email})`
  return user ?? null
}

export async function isNameTaken(username: string, tx: PrismaTransaction): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM users WHERE lower(username) = lower(${username})`
  return rows.length > 0
}
