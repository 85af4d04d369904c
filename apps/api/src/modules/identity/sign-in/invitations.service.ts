import { createHash, randomBytes } from 'node:crypto'
import type { CreateInvitation, InvitationPreview, InvitationView } from '@mira/shared'
import { ConflictError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { type Actor, byActor, type Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import { OWN_PASSWORD, type PasswordHasher, requireStrongPassword } from '../users/password-hash.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import { beginSession, createdBySignIn, type NewSession } from './begin-session.ts'
import type { Confirmation } from './confirmation.ts'
import type { InvitationsStore } from './invitations.store.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_OPEN_INVITATIONS = 500

export type InvitationsService = ReturnType<typeof createInvitationsService>

/** Links with which users create their own account and set a password that no administrator knows. */
export function createInvitationsService(deps: {
  store: InvitationsStore
  users: UsersStore
  passwords: PasswordHasher
  auth: AuthStore
  limits: SignInLimits
  settings: SettingsReader
  confirmation: Confirmation
  hasProvider: boolean
}) {
  const { store, users, passwords, limits, settings, confirmation, hasProvider } = deps

  /** Account of an administrator, whose role can't change until the transaction ends. @throws ForbiddenError for other users. */
  const requireAdmin = async (userId: string, tx: PrismaTransaction) => {
    await users.lockAccounts(tx)
    const actor = await users.find(userId, tx)
    if (actor?.role !== 'admin' || !actor.is_active) {
      throw new ForbiddenError('Your account does not have permission to do this.')
    }
    return actor
  }

  /** Invitation that a link's token belongs to, if it can still be accepted. @throws NotFoundError, TooManyRequestsError */
  const findOpen = async (token: string, address: string) => {
    limits.requireSecretRate('invitation', address)
    const invitation = await store.findOpen(hashOf(token))
    if (invitation === null) {
      await limits.recordWrongSecret(address)
      throw noSuchInvitation()
    }
    return invitation
  }

  return {
    list: (query: PageQuery): Promise<Page<InvitationView>> => readPage(query, (limits) => store.list(limits)),

    /**
     * Creates an invitation.
     * @returns the token of its link, which isn't shown again.
     * @throws ConflictError when an account already has the email address, or too many invitations are open; ForbiddenError as
     *   `requireFresh` when the role is administrator.
     */
    async create(
      actor: Actor,
      { expires_in_days, current_password, ...fields }: CreateInvitation,
    ): Promise<InvitationView & { token: string }> {
      if (fields.role === 'admin') await confirmation.requireFresh(actor, current_password)
      const token = randomBytes(32).toString('base64url')
      return users.transaction(async (tx) => {
        const admin = await requireAdmin(actor.userId, tx)
        if (await users.isEmailTaken(fields.email, tx)) {
          const message = `The email address “${fields.email}” is taken.`
          throw new ConflictError(message, { code: 'email_taken', errors: [{ path: 'email', message }] })
        }
        if ((await store.countOpen(tx)) >= MAX_OPEN_INVITATIONS) {
          throw new ConflictError(`${MAX_OPEN_INVITATIONS} invitations are open. Revoke some first.`, {
            code: 'too_many_invitations',
          })
        }
        const expiresAt = new Date(Date.now() + expires_in_days * DAY_MS)
        const invitation = {
          ...fields,
          secretHash: hashOf(token),
          userId: actor.userId,
          invitedBy: admin.username,
          expiresAt,
        }
        const view = await store.insert(invitation, tx)
        const detail = { action: 'invitation_made' }
        const { userId, countsInAnalytics } = actor
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: view.id, detail, countsInAnalytics })
        const subject = { subjectId: view.id, subjectName: fields.email, detail: { role: fields.role } }
        await users.recordAudit(tx, { action: 'invitation.made', ...byActor(actor), ...subject })
        return { ...view, token }
      })
    },

    /** @throws NotFoundError when the invitation was already accepted or revoked. */
    async revoke(actor: Actor, id: string): Promise<void> {
      await users.transaction(async (tx) => {
        await requireAdmin(actor.userId, tx)
        const subjectName = await store.revoke(id, tx)
        if (subjectName === null) throw new NotFoundError('This invitation isn’t open any more.')
        const detail = { action: 'invitation_revoked' }
        const { userId, countsInAnalytics } = actor
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: id, detail, countsInAnalytics })
        await users.recordAudit(tx, { action: 'invitation.revoked', ...byActor(actor), subjectId: id, subjectName })
      })
    },

    /** Contents of an invitation. @throws NotFoundError when it's expired, used or revoked; TooManyRequestsError. */
    async preview(token: string, address: string): Promise<InvitationPreview> {
      const { fields, invitedBy, expiresAt } = await findOpen(token, address)
      const { email, fullName, role } = fields
      return { email, full_name: fullName, role, invited_by: invitedBy, expires_at: expiresAt }
    },

    /**
     * Creates the account and signs in to it.
     * @throws NotFoundError as `preview`; ForbiddenError when users sign in with the provider only;
     *   ValidationError when the password is easy to guess; ConflictError when the username or email address is taken.
     */
    async accept({
      token,
      username,
      fullName,
      password,
      ...visitor
    }: { token: string; username: string; fullName: string | null; password: string } & Visitor): Promise<NewSession> {
      const { id, fields } = await findOpen(token, visitor.address)
      if (fields.role !== 'admin' && !settings.current().sign_in.passwords && hasProvider) {
        throw new ForbiddenError(
          'Passwords are turned off here. Open the link of your invitation again and sign in with the provider.',
          { code: 'passwords_off' },
        )
      }
      const owner = { username, email: fields.email, assistantName: settings.current().assistant_name }
      await requireStrongPassword(password, owner, OWN_PASSWORD)
      const passwordHash = await limits.withConcurrencyLimit(visitor, () => passwords.hash(password))
      return users.transaction(async (tx) => {
        await users.lockAccounts(tx)
        if (!(await store.accept(id, tx))) throw noSuchInvitation()
        const account = { ...fields, username, fullName: fullName ?? fields.fullName, isActive: true, passwordHash }
        const user = await users.insert(account, tx)
        await users.recordAudit(tx, createdBySignIn(user, 'invitation', visitor))
        return beginSession(deps, user.id, { ...visitor, method: 'invitation' }, tx)
      })
    },
  }
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function noSuchInvitation(): NotFoundError {
  return new NotFoundError('This invitation was used, was revoked or has expired. Ask for a new one.', {
    code: 'invitation_over',
  })
}
