import {
  ACCOUNT_TRASH_DAYS,
  type AuditAction,
  type CreateUser,
  type UpdateUser,
  type User,
  type UserSignIn,
} from '@mira/shared'
import { ConflictError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { notifyAccessChanged } from '../access-items/access-items.service.ts'
import { endAllAccess } from '../access-items/access-items.store.ts'
import type { AccountStore } from '../account/account.store.ts'
import { type Actor, byActor } from '../actor.ts'
import type { Confirmation } from '../sign-in/confirmation.ts'
import type { PasskeysStore } from '../sign-in/passkeys.store.ts'
import type { SignInStore } from '../sign-in/sign-in.store.ts'
import type { TotpStore } from '../sign-in/totp.store.ts'
import type { AuthStore } from './auth.store.ts'
import { type PasswordHasher, requireStrongPassword } from './password-hash.ts'
import type { AccountFields, PrismaTransaction, UsersStore } from './users.store.ts'

const TRASH_MS = ACCOUNT_TRASH_DAYS * 24 * 3600 * 1000
/** Number of accounts in the trash read at once. */
const PAGE_SIZE = 100

export type UsersService = ReturnType<typeof createUsersService>

/** Management of accounts by administrators. */
export function createUsersService(deps: {
  users: UsersStore
  account: Pick<AccountStore, 'removeAll'>
  auth: AuthStore
  signIns: SignInStore
  passkeys: PasskeysStore
  totp: TotpStore
  confirmation: Confirmation
  passwords: PasswordHasher
  settings: SettingsReader
  database: Pick<Database, 'notify'>
  queue: Pick<Queue, 'enqueue'>
  events: Pick<Events, 'publish'>
  log: Log
}) {
  const { users: store, account, auth, signIns, passkeys, totp, confirmation, passwords, settings, queue, log } = deps

  const record = async (
    tx: PrismaTransaction,
    admin: Actor,
    {
      activity,
      audit,
      user,
      detail = {},
    }: {
      activity: string
      audit: AuditAction
      user: Pick<User, 'id' | 'username'>
      detail?: Record<string, unknown>
    },
  ) => {
    const { userId, countsInAnalytics } = admin
    const subjectId = user.id
    await store.recordActivity(tx, {
      userId,
      kind: 'account',
      subjectId,
      detail: { action: activity },
      countsInAnalytics,
    })
    const subject = { subjectId, subjectName: user.username, detail }
    await store.recordAudit(tx, { action: audit, ...byActor(admin), ...subject })
  }

  const hashStrongPassword = async (password: string, { username, email }: { username: string; email: string }) => {
    await requireStrongPassword(password, { username, email, assistantName: settings.current().assistant_name })
    return passwords.hash(password)
  }

  /** @throws ConflictError for the last active administrator. */
  const requireOtherAdmin = async (
    user: User,
    participle: 'disabled' | 'demoted' | 'deleted',
    tx: PrismaTransaction,
  ) => {
    if (user.role !== 'admin' || !user.is_active) return
    if ((await store.countOtherActiveAdmins(user.id, tx)) > 0) return
    throw new ConflictError(`“${user.username}” is the last active administrator and cannot be ${participle}.`, {
      code: 'last_admin',
    })
  }

  /** Serialises changes to accounts. @throws ForbiddenError when the actor is no longer an administrator. */
  const requireAdmin = async (admin: Actor, tx: PrismaTransaction) => {
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

  /** If a taken username or email address belongs to an account in the trash, which lists don't show, says so in the error. */
  const explainDuplicate =
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

  /**
   * Removes an account whose time in the trash is over. Its data is removed first, in batches, so that other users don't wait;
   * then the account with the remaining rows. A job removes its files.
   */
  const removeForGood = async (
    id: string,
    now: Date,
    recordRemoval: (user: User, tx: PrismaTransaction) => Promise<void>,
  ) => {
    // The account may have been removed by another server, or restored by a password reset.
    const findExpired = async (tx?: PrismaTransaction) => {
      const user = await store.find(id, tx)
      return user && isTrashExpired(user, now) ? user : null
    }
    if ((await findExpired()) === null) return
    await account.removeAll(id)
    await store.transaction(async (tx) => {
      await store.lockAccounts(tx)
      const user = await findExpired(tx)
      if (user === null) return
      await store.remove(id, tx)
      await queue.enqueue('delete-files', { user_id: id }, { tx })
      await recordRemoval(user, tx)
    })
  }

  const announceChange = (id: string) => {
    notifyAccessChanged(deps)
    deps.events.publish(id, { type: 'account.updated' })
  }

  return {
    /** Accounts in the trash or all others, oldest first. @param query text in username, email or full name. */
    list: ({
      query,
      in: section,
      ...page
    }: PageQuery & { query?: string | undefined; in?: 'accounts' | 'trash' | undefined }): Promise<Page<User>> =>
      readPage(page, (limits) => store.list({ ...limits, isTrash: section === 'trash', ...(query ? { query } : {}) })),

    /**
     * @throws ConflictError when the username or email is taken; ValidationError when the password is easy to guess;
     *   ForbiddenError as thrown by `requireFresh` when the role is administrator.
     */
    async create(admin: Actor, values: CreateUser): Promise<User> {
      if (values.role === 'admin') await confirmation.requireFresh(admin, values.current_password)
      const passwordHash = await hashStrongPassword(values.password, values)
      return store
        .transaction(async (tx) => {
          await requireAdmin(admin, tx)
          const user = await store.insert({ ...toFields(values), isActive: true, passwordHash }, tx)
          const detail = { role: user.role }
          await record(tx, admin, { activity: 'user_created', audit: 'account.created', user, detail })
          return user
        })
        .catch(explainDuplicate(values))
    },

    /**
     * Changes an account; setting a new password or disabling the account ends its sessions.
     * @throws NotFoundError; ConflictError when the username or email address is taken, no active administrator would be
     *   left, or the account is in the trash; ForbiddenError when a new password or role isn't confirmed with the
     *   administrator's own password, or a new email address isn't confirmed with that password or a recent sign-in.
     */
    async update(admin: Actor, id: string, values: UpdateUser): Promise<User> {
      const isSelf = id === admin.userId
      const current = await store.find(id)
      if (current === null) throw noSuchUser()
      if (current.trash) throw inTrashError()
      const { username, email, role } = { ...current, ...values }
      const needsPassword = values.password !== undefined || role !== current.role
      if (needsPassword) {
        await confirmation.requirePassword(admin, values.current_password, missingOwnPasswordError)
      } else if (email !== current.email) {
        // The owner of the email address can sign in to the account with the sign-in provider.
        await confirmation.requireFresh(admin, values.current_password)
      }
      const passwordHash =
        values.password === undefined ? undefined : await hashStrongPassword(values.password, { username, email })
      const change = async (tx: PrismaTransaction) => {
        await requireAdmin(admin, tx)
        const before = await findOrFail(id, tx)
        if (before.trash) throw inTrashError()
        const changed = { ...before, ...values }
        if (changed.role !== before.role && !needsPassword) throw missingOwnPasswordError()
        if (!changed.is_active) await requireOtherAdmin(before, 'disabled', tx)
        if (changed.role !== 'admin') await requireOtherAdmin(before, 'demoted', tx)
        const fields = {
          ...toFields(changed),
          isActive: changed.is_active,
          ...(passwordHash ? { passwordHash, mustChangePassword: false } : {}),
        }
        const after = await store.update(id, fields, tx)
        if (passwordHash !== undefined || !after.is_active) {
          await auth.removeSessions(id, tx, isSelf && after.is_active ? admin.sessionId : undefined)
        }
        if (passwordHash !== undefined) {
          // A new password set by an administrator is also the way to recover an account from an intruder.
          await endAllAccess(id, tx, isSelf ? admin.sessionId : null)
        }
        const detail = changesOf(before, after, values)
        await record(tx, admin, { activity: 'user_updated', audit: 'account.updated', user: after, detail })
        return after
      }
      const user = await store.transaction(change).catch(explainDuplicate({ username, email }))
      announceChange(id)
      return user
    },

    /**
     * Moves an account to the trash, where it can't be used; with `now`, removes it for good. `now` backdates the
     * move to the trash, so that `emptyTrash` finishes an interrupted removal.
     * @throws NotFoundError; ConflictError for the administrator's own account and for the last active administrator;
     *   ForbiddenError as thrown by `requireFresh`.
     */
    async remove(
      admin: Actor,
      id: string,
      { password, now }: { password: string | undefined; now: boolean },
    ): Promise<void> {
      if (id === admin.userId) {
        throw new ConflictError('You cannot delete your own account.', { code: 'own_account' })
      }
      await confirmation.requireFresh(admin, password)
      await store.transaction(async (tx) => {
        await requireAdmin(admin, tx)
        const user = await findOrFail(id, tx)
        await requireOtherAdmin(user, 'deleted', tx)
        if (user.trash && !now) return
        const trashedAt = new Date(Date.now() - (now ? TRASH_MS : 0))
        await store.update(id, { trashedAt, wasActive: user.is_active, isActive: false }, tx)
        await auth.removeSessions(id, tx)
        if (now) {
          const subject = { subjectId: id, subjectName: user.username }
          await store.recordAudit(tx, { action: 'account.deleted', outcome: 'begun', ...byActor(admin), ...subject })
        } else await record(tx, admin, { activity: 'user_trashed', audit: 'account.trashed', user })
      })
      announceChange(id)
      if (!now) return
      await removeForGood(id, new Date(), (user, tx) =>
        record(tx, admin, { activity: 'user_deleted', audit: 'account.deleted', user }),
      )
      notifyAccessChanged(deps)
    },

    /**
     * Restores an account from the trash, without its sessions.
     * @throws NotFoundError; ConflictError when it isn't in the trash, or its time there is over.
     */
    async restore(admin: Actor, id: string): Promise<User> {
      const user = await store.transaction(async (tx) => {
        await requireAdmin(admin, tx)
        const before = await findOrFail(id, tx)
        if (!before.trash) throw new ConflictError('This account is not in the trash.', { code: 'not_in_trash' })
        if (isTrashExpired(before, new Date())) {
          const message = 'This account is being deleted and can’t be restored any more.'
          throw new ConflictError(message, { code: 'trash_time_over' })
        }
        const restored = await store.update(id, { trashedAt: null, isActive: await store.wasActive(id, tx) }, tx)
        await record(tx, admin, { activity: 'user_restored', audit: 'account.restored', user: restored })
        return restored
      })
      announceChange(id)
      return user
    },

    /** Removes for good the accounts whose time in the trash is over. A failure to remove one is logged. */
    async emptyTrash(now = new Date()): Promise<void> {
      const trashedBefore = new Date(now.getTime() - TRASH_MS)
      let ids: string[] = []
      do {
        // Continues after the last id, so that accounts that can't be removed don't block others.
        ids = await store.trashedBefore(trashedBefore, ids.at(-1), PAGE_SIZE)
        for (const id of ids) {
          await removeForGood(id, now, (user, tx) => {
            const nobody = { actorId: null, address: null, via: 'none' } as const
            const subject = { subjectId: id, subjectName: user.username }
            return store.recordAudit(tx, { action: 'account.purged', ...nobody, ...subject })
          }).catch((error: unknown) =>
            log.error({ err: error, userId: id }, 'an account in the trash could not be removed'),
          )
        }
      } while (ids.length === PAGE_SIZE)
    },

    /** Sign-in methods of an account. @throws NotFoundError */
    async signInOf(id: string): Promise<UserSignIn> {
      const methods = await signIns.findSignInMethods(id)
      if (methods === null) throw noSuchUser()
      return methods
    },

    /**
     * Turns off TOTP for a user who lost their authenticator app.
     * @throws NotFoundError; ForbiddenError as thrown by `requireFresh`.
     */
    async turnCodesOff(admin: Actor, id: string, password: string | undefined): Promise<void> {
      await confirmation.requireFresh(admin, password)
      await store.transaction(async (tx) => {
        await requireAdmin(admin, tx)
        const user = await findOrFail(id, tx)
        await totp.remove(id, tx)
        await record(tx, admin, { activity: 'codes_turned_off', audit: 'account.codes_turned_off', user })
      })
    },

    /** Removes every passkey of a user. @throws NotFoundError; ForbiddenError as thrown by `requireFresh`. */
    async removePasskeysOf(admin: Actor, id: string, password: string | undefined): Promise<void> {
      await confirmation.requireFresh(admin, password)
      await store.transaction(async (tx) => {
        await requireAdmin(admin, tx)
        const user = await findOrFail(id, tx)
        await passkeys.removeAll(id, tx)
        await record(tx, admin, { activity: 'passkeys_removed', audit: 'account.passkeys_removed', user })
      })
    },
  }
}

/** True once an account's time in the trash is over: it's being removed for good, and some of its data may be gone. */
export function isTrashExpired({ trash }: User, now: Date): boolean {
  return trash !== undefined && trash.until <= now
}

function inTrashError(): ConflictError {
  return new ConflictError('This account is in the trash. Restore it first.', { code: 'in_trash' })
}

/** Names of the changed fields, and the new values of those that affect permissions or limits. */
function changesOf(before: User, after: User, values: UpdateUser): Record<string, unknown> {
  const names = accountFieldNames.filter((name) => before[name] !== after[name])
  const permissionNames = names.filter((name) => !['username', 'email', 'full_name'].includes(name))
  return {
    changed: [
      ...names,
      ...(values.password === undefined ? [] : ['password']),
      ...(values.storage_limit_bytes === undefined ? [] : ['storage_limit_bytes']),
    ],
    ...Object.fromEntries(permissionNames.map((name) => [name, after[name]])),
    ...(values.storage_limit_bytes === undefined ? {} : { storage_limit_bytes: values.storage_limit_bytes }),
  }
}

const accountFieldNames = [
  ...['username', 'email', 'full_name', 'role', 'is_active'],
  ...['can_chat', 'can_upload', 'can_use_voice', 'can_use_agents'],
] as (keyof User)[]

function noSuchUser(): NotFoundError {
  return new NotFoundError('There is no such user.')
}

function missingOwnPasswordError(): ForbiddenError {
  return new ForbiddenError('Enter your own password too: a password or a role is being changed.', {
    code: 'password_required',
  })
}

function toFields(
  values: Omit<CreateUser, 'password' | 'storage_limit_bytes'> & Pick<UpdateUser, 'storage_limit_bytes'>,
): Omit<AccountFields, 'passwordHash' | 'isActive'> {
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
