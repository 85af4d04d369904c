// The user interface calls an OAuth client a program.

import type { Program, ProgramScope } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { OauthClientModel } from '../../../platform/database/generated/models/OauthClient.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

/** A program that may ask users for access. */
export interface OAuthClient {
  id: string
  clientId: string
  name: string
  redirectUris: string[]
  /** Time of the last read of its metadata document; null for a client that registered itself. */
  metadataFetchedAt: Date | null
}

/** Metadata that a program provides about itself. */
type ClientFields = Pick<OAuthClient, 'clientId' | 'name' | 'redirectUris' | 'metadataFetchedAt'> & {
  uri: string | null
}

interface NewGrant {
  userId: string
  /** Id of the program's row; elsewhere, `clientId` is its public id. */
  clientId: string
  scopes: ProgramScope[]
  resource: string
  redirectUri: string
  codeHash: string
  codeChallenge: string
  codeExpiresAt: Date
  /** Session in which the user consented; ending it deletes the grant if its code is still unused. */
  codeSessionId: string
}

/** A grant as the token endpoint needs it. */
export interface Grant {
  id: string
  userId: string
  /** The program's public id. */
  clientId: string
  clientName: string
  scopes: ProgramScope[]
  resource: string
  redirectUri: string
  codeHash: string
  codeChallenge: string
  codeExpiresAt: Date
  /** Time when the code was exchanged for tokens; null while it's unused. */
  codeExchangedAt: Date | null
}

interface TokenWithGrant {
  id: string
  kind: 'access' | 'refresh'
  secretHash: string
  expiresAt: Date
  usedAt: Date | null
  grant: Grant
}

export type OAuthStore = ReturnType<typeof createOAuthStore>

/** Rows of programs, their grants and tokens. */
export function createOAuthStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  /** Locks a grant until the transaction ends, so that a concurrent request waits and sees the result of the first. */
  const lockGrant = async (id: string, tx: PrismaTransaction): Promise<Grant | null> => {
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

    /** Deletes the oldest clients that no user has approved, until `maxKept` of them are left. */
    async removeOldestUnapproved(maxKept: number): Promise<void> {
      await pool.query(
        sql`DELETE FROM oauth_clients WHERE agreed_at IS NULL AND id IN (
           SELECT id FROM oauth_clients WHERE agreed_at IS NULL ORDER BY created_at DESC, id DESC OFFSET ${maxKept})`,
      )
    },

    async upsertClient({ clientId, ...fields }: ClientFields): Promise<OAuthClient> {
      const row = await prisma.oauthClient.upsert({
        where: { clientId },
        create: { clientId, ...fields },
        update: fields,
      })
      return toClient(row)
    },

    countActiveGrants: (userId: string, tx: PrismaTransaction): Promise<number> =>
      tx.oauthGrant.count({ where: { userId, codeExchangedAt: { not: null } } }),

    /** @returns the id of the grant. */
    async insertGrant(grant: NewGrant, tx: PrismaTransaction): Promise<string> {
      await tx.oauthClient.update({ where: { id: grant.clientId }, data: { lastConsentAt: new Date() } })
      const { id } = await tx.oauthGrant.create({ data: grant, select: { id: true } })
      return id
    },

    lockGrant,

    async markCodeUsed(id: string, tx: PrismaTransaction): Promise<void> {
      await tx.oauthGrant.update({ where: { id }, data: { codeExchangedAt: new Date(), codeSessionId: null } })
    },

    /** Ends a grant with its tokens. @returns false when there's no such grant. */
    async removeGrant(id: string, tx: PrismaTransaction, userId?: string): Promise<boolean> {
      const { count } = await tx.oauthGrant.deleteMany({ where: { id, ...(userId === undefined ? {} : { userId }) } })
      return count > 0
    },

    /** Newest first; `afterId` is the id of the last one on the previous page. */
    async listPrograms(userId: string, page: { limit: number; afterId?: string }): Promise<Program[]> {
      const rows = await prisma.oauthGrant.findMany({
        where: { userId, codeExchangedAt: { not: null }, ...(page.afterId ? { id: { lt: page.afterId } } : {}) },
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

    /** A token with its grant, which is locked until the transaction ends. */
    async lockToken(id: string, tx: PrismaTransaction): Promise<TokenWithGrant | null> {
      const token = await tx.oauthToken.findUnique({ where: { id }, select: { grantId: true } })
      const grant = token && (await lockGrant(token.grantId, tx))
      const row = grant && (await tx.oauthToken.findUnique({ where: { id } }))
      return row && { ...row, kind: row.kind as TokenWithGrant['kind'], grant }
    },

    async markUsed(id: string, tx: PrismaTransaction): Promise<void> {
      await tx.oauthToken.update({ where: { id }, data: { usedAt: new Date() } })
    },

    async removeToken(id: string, tx: PrismaTransaction): Promise<void> {
      await tx.oauthToken.deleteMany({ where: { id } })
    },
  }
}

function toClient({ id, clientId, name, redirectUris, metadataFetchedAt }: OauthClientModel): OAuthClient {
  return { id, clientId, name, redirectUris, metadataFetchedAt }
}
