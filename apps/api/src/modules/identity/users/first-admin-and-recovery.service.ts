import { emailSchema, newPasswordSchema } from '@mira/shared'
import { StartupError, ValidationError } from '../../../errors.ts'
import type { AuthStore } from './auth.store.ts'
import { generatePassword, type PasswordHasher, requireStrongPassword } from './password-hash.ts'
import type { PrismaTransaction, UsersStore } from './users.store.ts'

/** The first administrator of this instance. */
export interface FirstAdmin {
  username: string
  /** Made up by this start; undefined when one was given or the account was there already. */
  generatedPassword: string | undefined
}

export type FirstAdminAndRecovery = ReturnType<typeof createFirstAdminAndRecovery>

/** Account changes by the machine's operator, without signing in. */
export function createFirstAdminAndRecovery({
  store,
  auth,
  passwords,
  assistantName,
  turnOffCodes,
  endAllAccess,
}: {
  store: UsersStore
  auth: AuthStore
  passwords: PasswordHasher
  assistantName: () => string
  /** Turns the time-based codes of a user off. */
  turnOffCodes: (userId: string, tx: PrismaTransaction) => Promise<void>
  /** Ends everything with access to an account. */
  endAllAccess: (userId: string, tx: PrismaTransaction) => Promise<void>
}) {
  async function requireUsableAdminPassword(password: string, owner: { username: string; email: string }) {
    const [issue] = newPasswordSchema.safeParse(password).error?.issues ?? []
    if (issue) throw new StartupError(`ADMIN_PASSWORD cannot be used. ${issue.message}`)
    await requireStrongPassword(password, { ...owner, assistantName: assistantName() }).catch((error: unknown) => {
      if (!(error instanceof ValidationError)) throw error
      throw new StartupError(`ADMIN_PASSWORD cannot be used. ${error.message}`, { cause: error })
    })
  }

  return {
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
          const mustChangePassword = given.password === undefined
          await store.insert({ ...everything, username, email, passwordHash, mustChangePassword }, tx)
          return true
        })
        if (isMade) return { username, generatedPassword: given.password === undefined ? password : undefined }
      }
      const admin = await store.findOldestAdmin()
      return { username: admin?.username ?? given.username, generatedPassword: undefined }
    },

    /**
     * Sets a new password for an account, makes it active, turns its codes off, forgets its failed attempts, and ends
     * everything else with access to it.
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
        await store.update(user.id, { passwordHash, isActive: true, trashedAt: null, mustChangePassword: true }, tx)
        await turnOffCodes(user.id, tx)
        await auth.removeSessions(user.id, tx)
        await endAllAccess(user.id, tx)
        await auth.removeFailures({ username: user.username.toLowerCase() }, tx)
        const detail = { action: 'password_reset' }
        await store.recordActivity(tx, { userId: user.id, kind: 'account', detail })
        const subject = { subjectId: user.id, address: null }
        await store.recordAudit(tx, { action: 'account.password_reset', actorId: null, via: 'command', ...subject })
      })
      return { username: user.username, password }
    },
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

/** An account needs an address, and the first one's is not known: one that no mail can reach stands in. */
function firstAdminEmail(username: string): string {
  const candidates = [username, `${username}@mira.local`, 'admin@mira.local']
  return candidates.find((candidate) => emailSchema.safeParse(candidate).success) ?? 'admin@mira.local'
}
