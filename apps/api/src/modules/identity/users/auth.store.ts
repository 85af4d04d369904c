import type { ApiTokenView, AuthSessionView, TokenScope, User } from '@mira/shared'
import { type AuditRecord, recordAudit } from '../../../platform/database/audit.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { PrismaTransaction } from './users.store.ts'

/** User of a session or token, and its last use. */
interface Holder {
  user: User
  timeZone: string
  language: string
  lastUsedAt: Date | null
  /** Epoch of the user's signed URLs; when it changes, all earlier URLs become invalid. */
  linkEpoch: string
}

/** User of an OAuth client's token, and the scopes that the client was granted. */
interface ClientTokenHolder extends Holder {
  /** Id of the grant. */
  id: string
  secretHash: string
  scopes: TokenScope[]
  /** URL of the resource that the token gives access to. */
  audience: string
}

interface AuthSessionRow {
  id: string
  created_at: Date
  last_used_at: Date
  user_agent: string
  address: string
  method: AuthSessionView['method']
}

/** Purpose of a failed attempt: to sign in, to enter the second-factor code, or to confirm an action of a signed-in user. */
export type FailurePurpose = 'sign_in' | 'confirmation' | 'code'

/** Filters of failed attempts. */
interface FailureFields {
  username?: string
  address?: string
  purpose?: FailurePurpose
  /** True for an attempt that was refused without checking the secret. */
  isRefused?: boolean
}

interface HolderRow extends User {
  time_zone: string
  language: string
  last_used_at: Date | null
  link_epoch: string
}

const userColumns = `u.id, u.username, u.email, u.full_name, u.role, u.can_chat, u.can_upload, u.can_use_voice,
  u.can_use_agents, u.is_active, u.created_at, u.updated_at, u.last_active_at,
  coalesce(u.chosen_time_zone, u.time_zone) AS time_zone, coalesce(u.chosen_language, u.language) AS language, u.link_epoch`

export type AuthStore = ReturnType<typeof createAuthStore>

/** Rows of sessions, personal API tokens and failed sign-ins. */
export function createAuthStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  /** Makes all signed URLs of a user invalid. */
  const invalidateSignedUrls = async (userId: string, tx: PrismaTransaction): Promise<void> => {
    await tx.$executeRaw`UPDATE users SET link_epoch = gen_random_uuid() WHERE id = ${userId}::uuid`
  }

  return {
    /** User of a session; null when the session has ended or the account is disabled. */
    async findSessionHolder(sessionId: string, userId: string, idleMinutes: number | null): Promise<Holder | null> {
      const { rows } = await pool.query<HolderRow>(
        prepared(sql`
  SELECT ${raw(userColumns)}, s.last_used_at FROM auth_sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND s.expires_at > now() AND u.is_active
    AND (${idleMinutes}::int IS NULL OR s.last_used_at > now() - make_interval(mins => ${idleMinutes}::int))`),
      )
      return rows[0] ? toHolder(rows[0]) : null
    },

    /** User of an API token; null when the token has expired or the account is disabled. */
    async findTokenHolder(tokenId: string): Promise<(Holder & { secretHash: string; scopes: TokenScope[] }) | null> {
      const { rows } = await pool.query<HolderRow & { secret_hash: string; scopes: TokenScope[] }>(
        prepared(sql`
  SELECT ${raw(userColumns)}, t.last_used_at, t.secret_hash, t.scopes FROM api_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = ${tokenId} AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.is_active`),
      )
      return rows[0] ? { ...toHolder(rows[0]), secretHash: rows[0].secret_hash, scopes: rows[0].scopes } : null
    },

    /** User of an OAuth client's token; null when the token has expired or the account is disabled. */
    async findClientTokenHolder(tokenId: string): Promise<ClientTokenHolder | null> {
      const { rows } = await pool.query<
        HolderRow & { grant_id: string; secret_hash: string; scopes: TokenScope[]; resource: string }
      >(
        sql`SELECT ${raw(userColumns)}, g.last_used_at, g.id AS grant_id, t.secret_hash, g.scopes, g.resource
         FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id JOIN users u ON u.id = g.user_id
         WHERE t.id = ${tokenId} AND t.kind = 'access' AND t.expires_at > now() AND u.is_active`,
      )
      const row = rows[0]
      if (row === undefined) return null
      const { grant_id: id, secret_hash: secretHash, scopes, resource: audience } = row
      return { ...toHolder(row), id, secretHash, scopes, audience }
    },

    /** User of a signed URL; null when the account is disabled. */
    async findSignedUrlHolder(userId: string): Promise<Holder | null> {
      const { rows } = await pool.query<HolderRow>(
        prepared(sql`
  SELECT ${raw(userColumns)}, NULL::timestamptz AS last_used_at FROM users u WHERE u.id = ${userId} AND u.is_active`),
      )
      return rows[0] ? toHolder(rows[0]) : null
    },

    // Plain SQL, since Prisma would also set updated_at.
    async touchUser(userId: string, locale: { timeZone: string; language: string }): Promise<void> {
      await pool.query(
        sql`UPDATE users SET last_active_at = now(), time_zone = coalesce(chosen_time_zone, ${locale.timeZone}),
           language = coalesce(chosen_language, ${locale.language})
         WHERE id = ${userId}`,
      )
    },
    async touchSession(id: string): Promise<void> {
      await pool.query(sql`UPDATE auth_sessions SET last_used_at = now() WHERE id = ${id}`)
    },
    /** Stores the last use of a personal API token or an OAuth client's grant, whichever has the id. */
    async touchToken(id: string): Promise<void> {
      await pool.query(
        sql`WITH program AS (UPDATE oauth_grants SET last_used_at = now() WHERE id = ${id})
         UPDATE api_tokens SET last_used_at = now() WHERE id = ${id}`,
      )
    },

    async insertSession(
      session: { userId: string; userAgent: string; method: string; address: string; expiresAt: Date },
      tx: PrismaTransaction,
    ): Promise<string> {
      const { id } = await tx.authSession.create({ data: session, select: { id: true } })
      return id
    },

    /** True when the session hasn't expired and the account is active. Locks both until the transaction ends. */
    async lockSession(userId: string, id: string, tx: PrismaTransaction): Promise<boolean> {
      const accounts = await tx.$queryRaw<unknown[]>`
        SELECT id FROM users WHERE id = ${userId}::uuid AND is_active FOR NO KEY UPDATE`
      const sessions = await tx.$queryRaw<unknown[]>`
        SELECT id FROM auth_sessions
        WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND expires_at > now() FOR KEY SHARE`
      return accounts.length > 0 && sessions.length > 0
    },

    /** Newest first; `afterId` is the id of the last one on the previous page. */
    async listSessions(
      userId: string,
      page: { limit: number; afterId?: string; usedSince: Date },
    ): Promise<AuthSessionRow[]> {
      const rows = await prisma.authSession.findMany({
        where: {
          userId,
          expiresAt: { gt: new Date() },
          lastUsedAt: { gt: page.usedSince },
          ...(page.afterId ? { id: { lt: page.afterId } } : {}),
        },
        orderBy: { id: 'desc' },
        take: page.limit,
      })
      return rows.map(({ id, createdAt, lastUsedAt, userAgent, address, method }) => ({
        id,
        created_at: createdAt,
        last_used_at: lastUsedAt,
        user_agent: userAgent,
        address,
        // Only `beginSession` writes the column.
        method: method as AuthSessionView['method'],
      }))
    },

    /** @returns false when the user has no such session. */
    async removeSession(userId: string, id: string, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.authSession.deleteMany({ where: { id, userId } })
      return count > 0
    },

    /** Ends the user's sessions and invalidates their signed URLs. */
    async removeSessions(userId: string, tx: PrismaTransaction, exceptId?: string): Promise<void> {
      await tx.authSession.deleteMany({ where: { userId, ...(exceptId ? { id: { not: exceptId } } : {}) } })
      await invalidateSignedUrls(userId, tx)
    },

    countSessions: (userId: string, usedSince: Date, tx: PrismaTransaction): Promise<number> =>
      tx.authSession.count({ where: { userId, expiresAt: { gt: new Date() }, lastUsedAt: { gt: usedSince } } }),

    invalidateSignedUrls,

    /** Ends the sessions of all users. */
    async removeAllSessions(): Promise<void> {
      await prisma.authSession.deleteMany()
    },

    async insertToken(
      token: { userId: string; name: string; scopes: TokenScope[]; secretHash: string; expiresAt: Date | null },
      tx: PrismaTransaction,
    ): Promise<ApiTokenView> {
      return toTokenView(await tx.apiToken.create({ data: token }))
    },

    /** Newest first; `afterId` is the id of the last one on the previous page. */
    async listTokens(userId: string, page: { limit: number; afterId?: string }): Promise<ApiTokenView[]> {
      const rows = await prisma.apiToken.findMany({
        where: { userId, ...(page.afterId ? { id: { lt: page.afterId } } : {}) },
        orderBy: { id: 'desc' },
        take: page.limit,
      })
      return rows.map(toTokenView)
    },

    countTokens: (userId: string, tx: PrismaTransaction): Promise<number> => tx.apiToken.count({ where: { userId } }),

    /** @returns the token's name; null when the user has no such token. */
    async removeToken(userId: string, id: string, tx: PrismaTransaction): Promise<string | null> {
      const token = await tx.apiToken.findFirst({ where: { id, userId }, select: { name: true } })
      const { count } = await tx.apiToken.deleteMany({ where: { id, userId } })
      return count > 0 ? (token?.name ?? null) : null
    },

    /** Deletes the user's personal API tokens and OAuth grants. */
    async removeTokens(userId: string, tx: PrismaTransaction): Promise<void> {
      await tx.apiToken.deleteMany({ where: { userId } })
      await tx.oauthGrant.deleteMany({ where: { userId } })
    },

    /** Serialises sign-in attempts for a username until the transaction ends. */
    async lockFailures(username: string, tx: PrismaTransaction): Promise<void> {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`login:${username}`}, 0))`
    },

    /** Times of failures, newest first. */
    async listFailures(
      key: FailureFields,
      { since, limit }: { since: Date; limit: number },
      tx: PrismaTransaction = prisma,
    ): Promise<Date[]> {
      const rows = await tx.loginFailure.findMany({
        where: { ...key, createdAt: { gt: since } },
        orderBy: { createdAt: 'desc' },
        take: limit,
        select: { createdAt: true },
      })
      return rows.map(({ createdAt }) => createdAt)
    },

    recordAudit: (record: AuditRecord, tx: PrismaTransaction = prisma): Promise<void> => recordAudit(tx, record),

    async insertFailure(failure: Required<FailureFields>, tx: PrismaTransaction = prisma): Promise<void> {
      await tx.loginFailure.create({ data: failure })
    },

    async removeFailures(key: FailureFields & { username: string }, tx: PrismaTransaction = prisma): Promise<void> {
      await tx.loginFailure.deleteMany({ where: key })
    },

    /**
     * Stores the fingerprint of the secret that signs tokens, unless one is already stored.
     * @returns the fingerprint that is stored now.
     */
    async storeSecretFingerprint(fingerprint: string): Promise<string> {
      const { rows } = await pool.query<{ value: string }>(
        sql`INSERT INTO settings (key, value) VALUES (${FINGERPRINT_KEY}, to_jsonb(${fingerprint}::text))
         ON CONFLICT (key) DO UPDATE SET key = EXCLUDED.key RETURNING value`,
      )
      return rows[0]?.value ?? fingerprint
    },

    async removeSecretFingerprint(): Promise<void> {
      await prisma.setting.deleteMany({ where: { key: FINGERPRINT_KEY } })
    },
  }
}

const FINGERPRINT_KEY = 'jwt_secret_fingerprint'

function toHolder({ time_zone, language, last_used_at, link_epoch, ...row }: HolderRow): Holder {
  const user: User = {
    id: row.id,
    username: row.username,
    email: row.email,
    full_name: row.full_name,
    role: row.role,
    can_chat: row.can_chat,
    can_upload: row.can_upload,
    can_use_voice: row.can_use_voice,
    can_use_agents: row.can_use_agents,
    is_active: row.is_active,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_active_at: row.last_active_at,
  }
  return { user, timeZone: time_zone, language, lastUsedAt: last_used_at, linkEpoch: link_epoch }
}

function toTokenView(row: {
  id: string
  name: string
  scopes: string[]
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
}): ApiTokenView {
  return {
    id: row.id,
    name: row.name,
    // The column's CHECK constraint allows only scopes.
    scopes: row.scopes as TokenScope[],
    created_at: row.createdAt,
    expires_at: row.expiresAt,
    last_used_at: row.lastUsedAt,
  }
}
