import {
  ACCOUNT_TRASH_DAYS,
  type AuditAction,
  type CreateUser,
  type UpdateUser,
  type User,
  type UserEventJson,
  type UserSignIn,
} from '@mira/shared'
import { ConflictError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { AuthStore } from './auth.store.ts'
import { type PasswordHasher, requireStrongPassword } from './password-hash.ts'
import type { AccountFields, PrismaTransaction, UsersStore } from './users.store.ts'

/** The administrator who changes accounts. */
export interface Administrator {
  userId: string
  sessionId: string
  address: string
  /** False when the person keeps their use out of analytics. */
  inAnalytics: boolean
}

const DAY_MS = 24 * 3600 * 1000
/** Accounts that one run of the clean-up removes; the next one does the others. */
const MAX_PURGED = 100

export type UsersService = ReturnType<typeof createUsersService>

/** Accounts as administrators manage them. */
export function createUsersService(deps: {
  store: UsersStore
  auth: AuthStore
  passwords: PasswordHasher
  assistantName: () => string
  /** @throws ForbiddenError when it is not the person's; TooManyRequestsError after too many wrong ones. */
  confirmPassword: (userId: string, given: { password: string; address: string }) => Promise<void>
  /** Tells a user's open pages that something happened to their things. */
  publish: (userId: string, event: UserEventJson) => void
  /** Turns the time-based codes of a user off. */
  turnOffCodes: (userId: string, tx: PrismaTransaction) => Promise<void>
  /** Ends everything with access to the account. */
  endAllAccess: (userId: string, tx: PrismaTransaction) => Promise<void>
  removePasskeys: (userId: string, tx: PrismaTransaction) => Promise<void>
  /** Lets caches of things with access be read again. */
  tellAccessChanged: () => void
  findSignIn: (userId: string) => Promise<UserSignIn | null>
  /** @throws ForbiddenError unless the sign-in is minutes old or the password is given. */
  requireFresh: (admin: Administrator, given: { password: string | undefined; address: string }) => Promise<void>
  /** Enqueues the removal of every file of a user, in the transaction that removes the user. */
  removeFilesOf: (userId: string, tx: PrismaTransaction) => Promise<void>
}) {
  const {
    store,
    auth,
    passwords,
    assistantName,
    confirmPassword,
    publish,
    turnOffCodes,
    endAllAccess,
    removePasskeys,
    tellAccessChanged,
    findSignIn,
    requireFresh,
    removeFilesOf,
  } = deps

  const record = async (
    tx: PrismaTransaction,
    admin: Administrator,
    act: {
      activity: string
      audit: AuditAction
      user: Pick<User, 'id' | 'username'>
      detail?: Record<string, unknown>
    },
  ) => {
    const { userId, address, inAnalytics } = admin
    const { activity, audit, user, detail = {} } = act
    const subjectId = user.id
    await store.recordActivity(tx, { userId, kind: 'account', subjectId, detail: { action: activity }, inAnalytics })
    const subject = { subjectId, subjectName: user.username, detail }
    await store.recordAudit(tx, { action: audit, actorId: userId, address, via: 'session', ...subject })
  }

  const hashStrongPassword = async (password: string, { username, email }: { username: string; email: string }) => {
    await requireStrongPassword(password, { username, email, assistantName: assistantName() })
    return passwords.hash(password)
  }

  /** @throws ConflictError when no active administrator would be left without this one. */
  const requireOtherAdmin = async (user: User, what: string, tx: PrismaTransaction) => {
    if (user.role !== 'admin' || !user.is_active) return
    if ((await store.countActiveAdminsBut(user.id, tx)) > 0) return
    throw new ConflictError(`“${user.username}” is the last active administrator and cannot be ${what}.`, {
      code: 'last_admin',
    })
  }

  /** Lets one change of accounts happen at a time, by somebody who still is an administrator then. */
  const begin = async (admin: Administrator, tx: PrismaTransaction) => {
    await store.lockAccounts(tx)
    const actor = await store.find(admin.userId, tx)
    if (actor?.role !== 'admin' || !actor.is_active) {
      throw new ForbiddenError('Your account does not have permission to do this.')
    }
  }

  const findOrFail = async (id: string, tx: PrismaTransaction) => {
    const user = await store.find(id, tx)
    if (user === null) throw noSuchUser()
    return user
  }

  /** @throws ForbiddenError unless it is the administrator who asks, and not somebody at their open page. */
  const requireOwnPassword = async ({ userId, address }: Administrator, values: UpdateUser) => {
    if (values.current_password === undefined) throw lacksOwnPassword()
    await confirmPassword(userId, { password: values.current_password, address })
  }

  const requireFreshSignIn = (admin: Administrator, password: string | undefined) =>
    requireFresh(admin, { password, address: admin.address })

  /** Whose name is taken by an account that nobody sees, is told so. */
  const explainTaken =
    (names: { username: string; email: string }) =>
    async (error: unknown): Promise<never> => {
      const { errors } = error instanceof ConflictError ? error : {}
      if (!(error instanceof ConflictError) || !errors || !(await store.isTakenInTrash(names))) throw error
      const inTrash = 'It belongs to an account in the trash.'
      throw new ConflictError(`${error.message} ${inTrash}`, {
        code: error.code,
        errors: errors.map(({ path, message }) => ({ path, message: `${message} ${inTrash}` })),
      })
    }

  /** Removes an account with all its rows, and its files by a job. */
  const removeForGood = async (id: string, tx: PrismaTransaction) => {
    await store.remove(id, tx)
    await removeFilesOf(id, tx)
  }

  return {
    /** Oldest first, those in the trash or all others; `query` is looked for in username, email and full name. */
    list: ({
      query,
      in: place,
      ...page
    }: PageQuery & { query?: string | undefined; in?: 'accounts' | 'trash' | undefined }): Promise<Page<User>> =>
      readPage(page, (limits) => store.list({ ...limits, isTrash: place === 'trash', ...(query ? { query } : {}) })),

    /** @throws ConflictError when the username or email is taken; ValidationError when the password can be guessed. */
    async create(admin: Administrator, values: CreateUser): Promise<User> {
      const passwordHash = await hashStrongPassword(values.password, values)
      return store
        .transaction(async (tx) => {
          await begin(admin, tx)
          const user = await store.insert({ ...toFields(values), isActive: true, passwordHash }, tx)
          const detail = { role: user.role }
          await record(tx, admin, { activity: 'user_created', audit: 'account.created', user, detail })
          return user
        })
        .catch(explainTaken(values))
    },

    /**
     * Changes an account; a new password or disabling it ends its sessions.
     * @throws NotFoundError; ConflictError when a name is taken, the last administrator would be lost or it's in the trash;
     *   ForbiddenError when a password or a role would change without the administrator's own password, or an address
     *   without that or a recent sign-in.
     */
    async update(admin: Administrator, id: string, values: UpdateUser): Promise<User> {
      const isSelf = id === admin.userId
      const found = await store.find(id)
      if (found === null) throw noSuchUser()
      if (found.trash) throw isInTrash()
      if (values.password !== undefined || values.role !== found.role) await requireOwnPassword(admin, values)
      // whoever has the address gets in at the sign-in provider
      else if (values.email !== found.email) await requireFreshSignIn(admin, values.current_password)
      const passwordHash = values.password === undefined ? undefined : await hashStrongPassword(values.password, values)
      const change = async (tx: PrismaTransaction) => {
        await begin(admin, tx)
        const before = await findOrFail(id, tx)
        if (before.trash) throw isInTrash()
        if (values.role !== before.role && values.current_password === undefined) throw lacksOwnPassword()
        if (!values.is_active) await requireOtherAdmin(before, 'disabled', tx)
        if (values.role !== 'admin') await requireOtherAdmin(before, 'demoted', tx)
        const fields = {
          ...toFields(values),
          isActive: values.is_active,
          ...(passwordHash ? { passwordHash, mustChangePassword: false } : {}),
        }
        // a full name that is not sent stays
        if (values.full_name === undefined) fields.fullName = before.full_name
        const after = await store.update(id, fields, tx)
        if (passwordHash !== undefined || !after.is_active) {
          await auth.removeSessions(id, tx, isSelf && after.is_active ? admin.sessionId : undefined)
        }
        if (passwordHash !== undefined) {
          // a reset by somebody else is how an account is taken back from an intruder
          await (isSelf ? auth.removeTokens(id, tx) : endAllAccess(id, tx))
        }
        const detail = changesOf(before, after, values)
        await record(tx, admin, { activity: 'user_updated', audit: 'account.updated', user: after, detail })
        return after
      }
      const user = await store.transaction(change).catch(explainTaken(values))
      tellAccessChanged()
      publish(id, { type: 'account.updated' })
      return user
    },

    /**
     * Puts an account into the trash: nobody signs in to it, and nothing of it does anything. With `now` it is removed for
     * good, with all its rows at once, and its files by a job.
     * @throws NotFoundError; ConflictError for one's own account and for the last active administrator; ForbiddenError
     *   unless the administrator signed in minutes ago or gives their password.
     */
    async remove(
      admin: Administrator,
      id: string,
      { password, now }: { password: string | undefined; now: boolean },
    ): Promise<void> {
      if (id === admin.userId) {
        throw new ConflictError('You cannot delete your own account.', { code: 'own_account' })
      }
      await requireFreshSignIn(admin, password)
      await store.transaction(async (tx) => {
        await begin(admin, tx)
        const user = await findOrFail(id, tx)
        await requireOtherAdmin(user, 'deleted', tx)
        if (now) {
          await removeForGood(id, tx)
          await record(tx, admin, { activity: 'user_deleted', audit: 'account.deleted', user })
        } else if (!user.trash) {
          await store.update(id, { trashedAt: new Date(), wasActive: user.is_active, isActive: false }, tx)
          await auth.removeSessions(id, tx)
          await record(tx, admin, { activity: 'user_trashed', audit: 'account.trashed', user })
        }
      })
      tellAccessChanged()
      publish(id, { type: 'account.updated' })
    },

    /**
     * Takes an account out of the trash as it was; whoever was signed in signs in again.
     * @throws NotFoundError; ConflictError when it isn't there.
     */
    async restore(admin: Administrator, id: string): Promise<User> {
      const user = await store.transaction(async (tx) => {
        await begin(admin, tx)
        const before = await findOrFail(id, tx)
        if (!before.trash) throw new ConflictError('This account is not in the trash.', { code: 'not_in_trash' })
        const restored = await store.update(id, { trashedAt: null, isActive: await store.wasActive(id, tx) }, tx)
        await record(tx, admin, { activity: 'user_restored', audit: 'account.restored', user: restored })
        return restored
      })
      tellAccessChanged()
      publish(id, { type: 'account.updated' })
      return user
    },

    /** Removes accounts whose time in the trash is over for good. */
    async emptyTrash(now = new Date()): Promise<number> {
      const limit = new Date(now.getTime() - ACCOUNT_TRASH_DAYS * DAY_MS)
      const ids = await store.trashedBefore(limit, MAX_PURGED)
      for (const id of ids) {
        await store.transaction(async (tx) => {
          await store.lockAccounts(tx)
          const user = await store.find(id, tx)
          // it came back at that moment
          if (!user?.trash || user.trash.since >= limit) return
          await removeForGood(id, tx)
          const subject = { subjectId: id, subjectName: user.username }
          await store.recordAudit(tx, {
            action: 'account.purged',
            actorId: null,
            address: null,
            via: 'none',
            ...subject,
          })
        })
      }
      return ids.length
    },

    /** By what an account can be signed in to. @throws NotFoundError */
    async signInOf(id: string): Promise<UserSignIn> {
      const found = await findSignIn(id)
      if (found === null) throw noSuchUser()
      return found
    },

    /**
     * Turns the codes of somebody off who lost what makes them.
     * @throws NotFoundError; ForbiddenError unless the administrator signed in minutes ago or gives their password.
     */
    async turnCodesOff(admin: Administrator, id: string, password: string | undefined): Promise<void> {
      await requireFreshSignIn(admin, password)
      await store.transaction(async (tx) => {
        await begin(admin, tx)
        const user = await findOrFail(id, tx)
        await turnOffCodes(id, tx)
        await record(tx, admin, { activity: 'codes_turned_off', audit: 'account.codes_turned_off', user })
      })
    },

    /**
     * Removes every passkey of a user.
     * @throws NotFoundError; ForbiddenError unless the administrator signed in minutes ago or gives their password.
     */
    async removePasskeysOf(admin: Administrator, id: string, password: string | undefined): Promise<void> {
      await requireFreshSignIn(admin, password)
      await store.transaction(async (tx) => {
        await begin(admin, tx)
        const user = await findOrFail(id, tx)
        await removePasskeys(id, tx)
        await record(tx, admin, { activity: 'passkeys_removed', audit: 'account.passkeys_removed', user })
      })
    },
  }
}

function isInTrash(): ConflictError {
  return new ConflictError('This account is in the trash. Restore it first.', { code: 'in_trash' })
}

/** Names of changed or newly set fields, and the new values of those that decide permissions. */
function changesOf(before: User, after: User, given: UpdateUser): Record<string, unknown> {
  const names = accountFieldNames.filter((name) => before[name] !== after[name])
  const decisive = names.filter((name) => !['username', 'email', 'full_name'].includes(name))
  return {
    changed: [
      ...names,
      ...(given.password === undefined ? [] : ['password']),
      ...(given.storage_limit_bytes === undefined ? [] : ['storage_limit_bytes']),
    ],
    ...Object.fromEntries(decisive.map((name) => [name, after[name]])),
    ...(given.storage_limit_bytes === undefined ? {} : { storage_limit_bytes: given.storage_limit_bytes }),
  }
}

const accountFieldNames = [
  ...['username', 'email', 'full_name', 'role', 'is_active'],
  ...['can_chat', 'can_upload', 'can_use_voice', 'can_use_agents'],
] as (keyof User)[]

function noSuchUser(): NotFoundError {
  return new NotFoundError('There is no such user.')
}

function lacksOwnPassword(): ForbiddenError {
  return new ForbiddenError('Give your own password as well: a password or a role is to change.', {
    code: 'password_required',
  })
}

function toFields(values: CreateUser | UpdateUser): Omit<AccountFields, 'passwordHash' | 'isActive'> {
  const limit = values.storage_limit_bytes
  return {
    username: values.username,
    email: values.email,
    fullName: values.full_name || null,
    role: values.role,
    canChat: values.can_chat,
    canUpload: values.can_upload,
    canUseVoice: values.can_use_voice,
    canUseAgents: values.can_use_agents,
    ...(limit === undefined ? {} : { storageLimitBytes: limit === null ? null : BigInt(limit) }),
  }
}
