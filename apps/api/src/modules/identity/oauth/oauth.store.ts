import type { Program, ProgramScope } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { OauthClientModel } from '../../../platform/database/generated/models/OauthClient.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

/** A program that may ask people for access. */
export interface OAuthClient {
  id: string
  clientId: string
  name: string
  redirectUris: string[]
  /** Time of the last read of its metadata document; null for a client that registered itself. */
  readAt: Date | null
  isApproved: boolean
}

/** Metadata that a program provides about itself. */
export type ClientFields = Pick<OAuthClient, 'clientId' | 'name' | 'redirectUris' | 'readAt'> & { uri: string | null }

export interface NewGrant {
  userId: string
  clientId: string
  scopes: ProgramScope[]
  resource: string
  redirectUri: string
  codeHash: string
  codeChallenge: string
  codeExpiresAt: Date
}

/** A grant as the token endpoint needs it, locked until the transaction ends. */
export interface HeldGrant {
  id: string
  userId: string
  /** As the program names itself. */
  clientId: string
  clientName: string
  scopes: ProgramScope[]
  resource: string
  redirectUri: string
  codeHash: string
  codeChallenge: string
  codeExpiresAt: Date
  begunAt: Date | null
}

/** A token with its grant. */
export interface HeldToken {
  id: string
  kind: 'access' | 'refresh'
  secretHash: string
  expiresAt: Date
  usedAt: Date | null
  grant: HeldGrant
}

export type OAuthStore = ReturnType<typeof createOAuthStore>

/** Programs, what people granted them, and their tokens, as rows. */
export function createOAuthStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const findGrant = async (id: string, tx: PrismaTransaction): Promise<HeldGrant | null> => {
    // a second use at the same time waits, and sees what the first one did
    await tx.$queryRaw`SELECT id FROM oauth_grants WHERE id = ${id}::uuid FOR UPDATE`
    const row = await tx.oauthGrant.findFirst({ where: { id, user: { isActive: true } }, include: { client: true } })
    if (row === null) return null
    const { client, scopes, ...grant } = row
    return { ...grant, scopes: scopes as ProgramScope[], clientId: client.clientId, clientName: client.name }
  }

  return {
    async findClient(clientId: string): Promise<OAuthClient | null> {
      const row = await prisma.oauthClient.findUnique({ where: { clientId } })
      return row && toClient(row)
    },

    /** Deletes the oldest clients that nobody ever approved until `maxKept` of them are left. */
    async removeOldestUnapproved(maxKept: number): Promise<void> {
      await pool.query(
        `DELETE FROM oauth_clients WHERE agreed_at IS NULL AND id IN (
           SELECT id FROM oauth_clients WHERE agreed_at IS NULL ORDER BY created_at DESC, id DESC OFFSET $1)`,
        [maxKept],
      )
    },

    /** Keeps what a program says of itself, in the place of what it said before. */
    async keepClient({ clientId, ...fields }: ClientFields): Promise<OAuthClient> {
      const row = await prisma.oauthClient.upsert({
        where: { clientId },
        create: { clientId, ...fields },
        update: fields,
      })
      return toClient(row)
    },

    countGrants: (userId: string, tx: PrismaTransaction): Promise<number> =>
      tx.oauthGrant.count({ where: { userId, begunAt: { not: null } } }),

    /** Keeps that a person agreed. @returns the id of the grant. */
    async insertGrant(grant: NewGrant, tx: PrismaTransaction): Promise<string> {
      await tx.oauthClient.update({ where: { id: grant.clientId }, data: { agreedAt: new Date() } })
      const { id } = await tx.oauthGrant.create({ data: grant, select: { id: true } })
      return id
    },

    findGrant,

    async beginGrant(id: string, tx: PrismaTransaction): Promise<void> {
      await tx.oauthGrant.update({ where: { id }, data: { begunAt: new Date() } })
    },

    /** Ends what was granted, with every token of it. @returns whether there was one. */
    async removeGrant(id: string, tx: PrismaTransaction, userId?: string): Promise<boolean> {
      const { count } = await tx.oauthGrant.deleteMany({ where: { id, ...(userId === undefined ? {} : { userId }) } })
      return count > 0
    },

    /** Newest first; `afterId` is the last one of the page before. */
    async listPrograms(userId: string, page: { limit: number; afterId?: string }): Promise<Program[]> {
      const rows = await prisma.oauthGrant.findMany({
        where: { userId, begunAt: { not: null }, ...(page.afterId ? { id: { lt: page.afterId } } : {}) },
        include: { client: { select: { name: true } } },
        orderBy: { id: 'desc' },
        take: page.limit,
      })
      return rows.map(({ id, client, redirectUri, scopes, createdAt, lastUsedAt }) => ({
        id,
        name: client.name,
        redirect_uri: redirectUri,
        scopes: scopes as ProgramScope[],
        created_at: createdAt,
        last_used_at: lastUsedAt,
      }))
    },

    async insertToken(
      token: { grantId: string; kind: 'access' | 'refresh'; secretHash: string; expiresAt: Date },
      tx: PrismaTransaction,
    ): Promise<string> {
      const { id } = await tx.oauthToken.create({ data: token, select: { id: true } })
      return id
    },

    /** A token with its grant, which stays as it is until the transaction ends. */
    async findToken(id: string, tx: PrismaTransaction): Promise<HeldToken | null> {
      const named = await tx.oauthToken.findUnique({ where: { id }, select: { grantId: true } })
      const grant = named && (await findGrant(named.grantId, tx))
      const row = grant && (await tx.oauthToken.findUnique({ where: { id } }))
      return row && { ...row, kind: row.kind as HeldToken['kind'], grant }
    },

    async markUsed(id: string, tx: PrismaTransaction): Promise<void> {
      await tx.oauthToken.update({ where: { id }, data: { usedAt: new Date() } })
    },

    async removeToken(id: string, tx: PrismaTransaction): Promise<void> {
      await tx.oauthToken.deleteMany({ where: { id } })
    },
  }
}

function toClient({ id, clientId, name, redirectUris, readAt, agreedAt }: OauthClientModel): OAuthClient {
  return { id, clientId, name, redirectUris, readAt, isApproved: agreedAt !== null }
}
