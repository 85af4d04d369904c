import { ACCOUNT_TRASH_DAYS, type Role, type User } from '@mira/shared'
import { ConflictError } from '../../../errors.ts'
import { recordActivity } from '../../../platform/database/activity.ts'
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts'
import { recordAudit } from '../../../platform/database/audit.ts'
import { retryOnConflict } from '../../../platform/database/availability.ts'
import type { Database, Queryable } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'
import type { UserModel } from '../../../platform/database/generated/models/User.ts'
import { trashTimes } from '../../../platform/lib/trash-times.ts'

/**
 * Turns the error of a failed write into a ConflictError when the username or email address is taken; rethrows other
 * errors.
 */
function throwAsConflict(fields: { username?: string; email?: string }) {
  return (error: unknown): never => {
    const index = violatedIndex(error)
    if (index === 'users_username_lower_key')
      throw duplicateError('username', `The username “${fields.username}” is taken.`)
    if (index === 'users_email_lower_key')
      throw duplicateError('email', `The email address “${fields.email}” is taken.`)
    throw error
  }
}

function duplicateError(path: 'username' | 'email', message: string): ConflictError {
  return new ConflictError(message, { code: `${path}_taken`, errors: [{ path, message }] })
}

/** Metadata in which Prisma's adapter names a violated index on an expression. */
interface AdapterErrorMeta {
  driverAdapterError?: { cause?: { constraint?: { index?: string } } }
}

function violatedIndex(error: unknown): string | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') return undefined
  return (error.meta as AdapterErrorMeta | undefined)?.driverAdapterError?.cause?.constraint?.index
}

export interface AccountFields {
  username: string
  email: string
  fullName: string | null
  role: Role
  canChat: boolean
  canUpload: boolean
  canUseVoice: boolean
  canUseAgents: boolean
  isActive: boolean
  /** Storage limit of the account; null for the default limit. */
  storageLimitBytes?: bigint | null
  /** Hash of the password; null for a user who signs in with the OIDC provider instead. */
  passwordHash: string | null
  /** True for a generated password, which the user must change after signing in. */
  mustChangePassword?: boolean
  /** Time when the account was moved to the trash; null when it isn't there. */
  trashedAt?: Date | null
  /** True when the account was active before it was moved to the trash. */
  wasActive?: boolean
}

const UNUSED_ID = '00000000-0000-0000-0000-000000000000'

export interface Account {
  user: User
  passwordHash: string | null
}

export type PrismaTransaction = Prisma.TransactionClient

export type UsersStore = ReturnType<typeof createUsersStore>

/** Rows of accounts. */
export function createUsersStore({ prisma }: Pick<Database, 'prisma'>) {
  const findAccount = async (id: string): Promise<Account | null> => {
    const row = await prisma.user.findUnique({ where: { id } })
    return row && { user: toUser(row), passwordHash: row.passwordHash }
  }

  return {
    /** Runs work in a transaction, and runs it again after a conflict. The work may only await queries of this transaction. */
    transaction: <T>(work: (tx: PrismaTransaction) => Promise<T>): Promise<T> =>
      retryOnConflict(() => prisma.$transaction(work)),

    /** Takes the lock for changes to accounts until the transaction ends. */
    async lockAccounts(tx: PrismaTransaction): Promise<void> {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.accounts})`
    },

    /** Accounts in the trash or all others, oldest first. `afterId` is the id of the last one on the previous page. */
    async list({
      query,
      limit,
      afterId,
      isTrash,
    }: {
      query?: string
      limit: number
      afterId?: string
      isTrash: boolean
    }): Promise<User[]> {
      const contains = { contains: query?.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const
      const rows = await prisma.user.findMany({
        where: {
          trashedAt: isTrash ? { not: null } : null,
          ...(afterId === undefined ? {} : { id: { gt: afterId } }),
          ...(query ? { OR: [{ username: contains }, { email: contains }, { fullName: contains }] } : {}),
        },
        // Ids begin with their creation time.
        orderBy: { id: 'asc' },
        take: limit,
      })
      return rows.map(toUser)
    },

    async find(id: string, tx: Queryable = prisma): Promise<User | null> {
      const row = await tx.user.findUnique({ where: { id } })
      return row && toUser(row)
    },

    /** Account with a username, ignoring case. */
    async findByUsername(username: string): Promise<Account | null> {
      const [row] = await prisma.$queryRaw<{ id: string }[]>`
        SELECT id FROM users WHERE lower(username) = lower(${username})`
      // An unknown username takes the same number of queries, so that the time reveals nothing.
      return findAccount(row?.id ?? UNUSED_ID)
    },

    findAccount,

    /** True when the account is active and its password hasn't changed. Locks the account until the transaction ends. */
    async isUsable({ user, passwordHash }: Account, tx: PrismaTransaction): Promise<boolean> {
      const rows = await tx.$queryRaw<unknown[]>`
        SELECT id FROM users WHERE id = ${user.id}::uuid AND is_active AND password_hash IS NOT DISTINCT FROM ${passwordHash}
        FOR NO KEY UPDATE`
      return rows.length > 0
    },

    /** True when the account is active. Locks the account until the transaction ends. */
    async isActive(id: string, tx: PrismaTransaction): Promise<boolean> {
      const rows = await tx.$queryRaw<unknown[]>`
        SELECT id FROM users WHERE id = ${id}::uuid AND is_active FOR NO KEY UPDATE`
      return rows.length > 0
    },

    /** True when an account in the trash has the username or the email address, ignoring case. */
    async isTakenInTrash({ username, email }: { username: string; email: string }): Promise<boolean> {
      const rows = await prisma.$queryRaw<unknown[]>`
        SELECT id FROM users WHERE trashed_at IS NOT NULL
          AND (lower(username) = lower(${username}) OR lower(email) = lower(${email}))`
      return rows.length > 0
    },

    /** A page of ids of accounts moved to the trash before a time. @param after last id of the previous page */
    async trashedBefore(time: Date, after: string | undefined, limit: number): Promise<string[]> {
      const rows = await prisma.user.findMany({
        where: { trashedAt: { lt: time }, ...(after === undefined ? {} : { id: { gt: after } }) },
        select: { id: true },
        orderBy: { id: 'asc' },
        take: limit,
      })
      return rows.map(({ id }) => id)
    },

    /** True when an account in the trash will be active once it's restored. */
    async wasActive(id: string, tx: Queryable): Promise<boolean> {
      const row = await tx.user.findUnique({ where: { id }, select: { wasActive: true } })
      return row?.wasActive ?? false
    },

    /** True when an account has the email address, ignoring case. */
    async isEmailTaken(email: string, tx: PrismaTransaction): Promise<boolean> {
      const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM users WHERE lower(email) = lower(${email})`
      return rows.length > 0
    },

    /** The oldest active administrator; if none is active, the oldest inactive one. */
    async findOldestAdmin(): Promise<User | null> {
      const row = await prisma.user.findFirst({
        where: { role: 'admin', trashedAt: null },
        orderBy: [{ isActive: 'desc' }, { id: 'asc' }],
      })
      return row && toUser(row)
    },

    count: (tx: Queryable = prisma): Promise<number> => tx.user.count(),

    countOtherActiveAdmins: (id: string, tx: Queryable): Promise<number> =>
      tx.user.count({ where: { role: 'admin', isActive: true, id: { not: id } } }),

    /** @throws ConflictError when the username or the email address is taken. */
    async insert(fields: AccountFields, tx: Queryable = prisma): Promise<User> {
      return toUser(await tx.user.create({ data: fields }).catch(throwAsConflict(fields)))
    },

    /** @throws ConflictError when the username or the email address is taken. */
    async update(id: string, fields: Partial<AccountFields>, tx: Queryable = prisma): Promise<User> {
      return toUser(await tx.user.update({ where: { id }, data: fields }).catch(throwAsConflict(fields)))
    },

    /** Removes the account and, through foreign keys, all its rows. */
    async remove(id: string, tx: Queryable): Promise<void> {
      await tx.user.delete({ where: { id } })
    },

    recordActivity,
    recordAudit,
  }
}

function toUser(row: UserModel): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    full_name: row.fullName,
    // The column's CHECK constraint allows only roles.
    role: row.role as Role,
    can_chat: row.canChat,
    can_upload: row.canUpload,
    can_use_voice: row.canUseVoice,
    can_use_agents: row.canUseAgents,
    is_active: row.isActive,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    last_active_at: row.lastActiveAt,
    ...trashTimes(row.trashedAt, ACCOUNT_TRASH_DAYS),
  }
}
