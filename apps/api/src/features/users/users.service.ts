import type { CreateUser, UpdateUser, User, UserEventJson } from '@mira/shared'
import { emailSchema, newPasswordSchema } from '@mira/shared'
import { ConflictError, ForbiddenError, NotFoundError, StartupError, ValidationError } from '../../errors.ts'
import type { AuthStore } from './auth.store.ts'
import { type Page, type PageQuery, readPage } from './page.ts'
import { generatePassword, type PasswordHasher, requireStrongPassword } from './password.ts'
import type { AccountFields, Transaction, UsersStore } from './users.store.ts'

/** The administrator who changes accounts. */
export interface Administrator {
  userId: string
  via: 'session' | 'token'
  /** Id of that session or token. */
  credentialId: string
  /** False when the person keeps their use out of analytics. */
  inAnalytics: boolean
}

/** Who signs in first on this instance. */
export interface FirstAdmin {
  username: string
  /** Made up by this start; undefined when one was given or the account was there already. */
  generatedPassword: string | undefined
}

export type UsersService = ReturnType<typeof createUsersService>

/** Accounts as administrators manage them, and the first administrator. */
export function createUsersService(deps: {
  store: UsersStore
  auth: AuthStore
  passwords: PasswordHasher
  assistantName: () => string
  /** Tells a user's open pages that something happened to their things. */
  publish: (userId: string, event: UserEventJson) => void
  /** Enqueues the removal of every file of a user, in the transaction that removes the user. */
  removeFilesOf: (userId: string, tx: Transaction) => Promise<void>
}) {
  const { store, auth, passwords, assistantName, publish, removeFilesOf } = deps

  const record = (tx: Transaction, admin: Administrator, action: string, userId: string) =>
    store.recordActivity(tx, {
      userId: admin.userId,
      kind: 'account',
      subjectId: userId,
      detail: { action },
      inAnalytics: admin.inAnalytics,
    })

  const hashStrongPassword = async (password: string, { username, email }: { username: string; email: string }) => {
    await requireStrongPassword(password, { username, email, assistantName: assistantName() })
    return passwords.hash(password)
  }

  /** @throws ConflictError when no active administrator would be left without this one. */
  const requireOtherAdmin = async (user: User, what: string, tx: Transaction) => {
    if (user.role !== 'admin' || !user.is_active) return
    if ((await store.countActiveAdminsBut(user.id, tx)) > 0) return
    throw new ConflictError(`“${user.username}” is the last active administrator and cannot be ${what}.`, {
      code: 'last_admin',
    })
  }

  /** Lets one change of accounts happen at a time, by somebody who still is an administrator then. */
  const begin = async (admin: Administrator, tx: Transaction) => {
    await store.lockAccounts(tx)
    const actor = await store.find(admin.userId, tx)
    if (actor?.role !== 'admin' || !actor.is_active) {
      throw new ForbiddenError('Your account does not have permission to do this.')
    }
  }

  const findOrFail = async (id: string, tx: Transaction) => {
    const user = await store.find(id, tx)
    if (user === null) throw new NotFoundError('There is no such user.')
    return user
  }

  return {
    /** Oldest first; `query` is looked for in username, email and full name. */
    list: ({ query, ...page }: PageQuery & { query?: string | undefined }): Promise<Page<User>> =>
      readPage(page, (limits) => store.list({ ...limits, ...(query ? { query } : {}) })),

    /** @throws ConflictError when the username or email is taken; ValidationError when the password can be guessed. */
    async create(admin: Administrator, values: CreateUser): Promise<User> {
      const passwordHash = await hashStrongPassword(values.password, values)
      return store.transaction(async (tx) => {
        await begin(admin, tx)
        const user = await store.insert({ ...toFields(values), isActive: true, passwordHash }, tx)
        await record(tx, admin, 'user_created', user.id)
        return user
      })
    },

    /**
     * Changes an account; a new password or disabling it ends its sessions.
     * @throws NotFoundError; ConflictError when a name is taken or the last administrator would be lost;
     *   ForbiddenError when a personal API token would change its owner's password.
     */
    async update(admin: Administrator, id: string, values: UpdateUser): Promise<User> {
      const isSelf = id === admin.userId
      if (values.password !== undefined && isSelf && admin.via === 'token') {
        throw new ForbiddenError('A personal API token cannot change the password of its owner.', {
          code: 'token_not_allowed',
        })
      }
      const passwordHash = values.password === undefined ? undefined : await hashStrongPassword(values.password, values)
      const user = await store.transaction(async (tx) => {
        await begin(admin, tx)
        const before = await findOrFail(id, tx)
        if (!values.is_active) await requireOtherAdmin(before, 'disabled', tx)
        if (values.role !== 'admin') await requireOtherAdmin(before, 'demoted', tx)
        const fields = { ...toFields(values), isActive: values.is_active, ...(passwordHash ? { passwordHash } : {}) }
        // a full name that is not sent stays
        if (values.full_name === undefined) fields.fullName = before.full_name
        const after = await store.update(id, fields, tx)
        if (passwordHash !== undefined || !after.is_active) {
          await auth.removeSessions(id, tx, isSelf && after.is_active ? admin.credentialId : undefined)
        }
        if (passwordHash !== undefined) await auth.removeTokens(id, tx)
        await record(tx, admin, 'user_updated', id)
        return after
      })
      publish(id, { type: 'account.updated' })
      return user
    },

    /**
     * Removes an account with all its rows at once, and its files by a job.
     * @throws NotFoundError; ConflictError for one's own account and for the last active administrator.
     */
    async remove(admin: Administrator, id: string): Promise<void> {
      if (id === admin.userId) {
        throw new ConflictError('You cannot delete your own account.', { code: 'own_account' })
      }
      await store.transaction(async (tx) => {
        await begin(admin, tx)
        await requireOtherAdmin(await findOrFail(id, tx), 'deleted', tx)
        await store.remove(id, tx)
        await removeFilesOf(id, tx)
        await record(tx, admin, 'user_deleted', id)
      })
      publish(id, { type: 'account.updated' })
    },

    /**
     * Makes the administrator of a new instance; with several servers starting at once, one of them does.
     * @returns who signs in first, and the password when it was made up.
     * @throws StartupError when the given password can be guessed.
     */
    async ensureFirstAdmin(given: { username: string; password: string | undefined }): Promise<FirstAdmin> {
      if ((await store.count()) === 0) {
        const { username } = given
        const email = firstAdminEmail(username)
        if (given.password !== undefined) await requireUsableAdminPassword(given.password, { username, email })
        const password = given.password ?? generatePassword()
        const passwordHash = await passwords.hash(password)
        const isMade = await store.transaction(async (tx) => {
          await store.lockAccounts(tx)
          if ((await store.count(tx)) > 0) return false
          await store.insert({ ...everything, username, email, passwordHash }, tx)
          return true
        })
        if (isMade) return { username, generatedPassword: given.password === undefined ? password : undefined }
      }
      const admin = await store.findOldestAdmin()
      return { username: admin?.username ?? given.username, generatedPassword: undefined }
    },

    /**
     * Gives an account a new password, makes it active, and ends its sessions, tokens and failed attempts.
     * @param username whose; undefined for the administrator who has been there for longest.
     * @returns the account's name and its new password.
     * @throws StartupError when there is no such account.
     */
    async resetPassword(username: string | undefined): Promise<{ username: string; password: string }> {
      const user =
        username === undefined ? await store.findOldestAdmin() : ((await store.findByUsername(username))?.user ?? null)
      if (user === null) {
        throw new StartupError(
          username === undefined
            ? 'There is no administrator yet: the first start of Mira makes one.'
            : `There is no user “${username}”.`,
        )
      }
      const password = generatePassword()
      const passwordHash = await passwords.hash(password)
      await store.transaction(async (tx) => {
        await store.update(user.id, { passwordHash, isActive: true }, tx)
        await auth.removeSessions(user.id, tx)
        await auth.removeTokens(user.id, tx)
        await auth.removeFailures(user.username.toLowerCase(), tx)
        const detail = { action: 'password_reset' }
        await store.recordActivity(tx, { userId: user.id, kind: 'account', detail })
      })
      return { username: user.username, password }
    },
  }

  async function requireUsableAdminPassword(password: string, owner: { username: string; email: string }) {
    const [issue] = newPasswordSchema.safeParse(password).error?.issues ?? []
    if (issue) throw new StartupError(`ADMIN_PASSWORD cannot be used. ${issue.message}`)
    await requireStrongPassword(password, { ...owner, assistantName: assistantName() }).catch((error: unknown) => {
      if (!(error instanceof ValidationError)) throw error
      throw new StartupError(`ADMIN_PASSWORD cannot be used. ${error.message}`, { cause: error })
    })
  }
}

const everything = {
  fullName: null,
  role: 'admin',
  canChat: true,
  canUpload: true,
  canUseVoice: true,
  canUseAgents: true,
  isActive: true,
} as const

function toFields(values: CreateUser | UpdateUser): Omit<AccountFields, 'passwordHash' | 'isActive'> {
  return {
    username: values.username,
    email: values.email,
    fullName: values.full_name || null,
    role: values.role,
    canChat: values.can_chat,
    canUpload: values.can_upload,
    canUseVoice: values.can_use_voice,
    canUseAgents: values.can_use_agents,
  }
}

/** An account needs an address, and the first one's is not known: one that no mail can reach stands in. */
function firstAdminEmail(username: string): string {
  const candidates = [username, `${username}@mira.local`, 'admin@mira.local']
  return candidates.find((candidate) => emailSchema.safeParse(candidate).success) ?? 'admin@mira.local'
}
