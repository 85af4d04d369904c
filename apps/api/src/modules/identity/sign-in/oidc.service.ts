import { emailSchema, type User, usernameSchema } from '@mira/shared'
import { z } from 'zod'
import { AppError, ConflictError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { OidcClaims, OidcClient } from '../../../platform/net/oidc-client.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { notifyAccessChanged } from '../access-items/access-items.service.ts'
import type { Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import { beginSession, cannotSignIn, createdBySignIn, type NewSession } from './begin-session.ts'
import { hashOf, noSuchInvitation } from './invitations.service.ts'
import type { InvitationsStore } from './invitations.store.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import type { Tickets } from './sign-in-tickets.ts'

async function findIdentity(
  identity: { issuer: string; subject: string },
  tx: PrismaTransaction,
): Promise<{ userId: string; isSuspended: boolean } | null> {
  const row = await tx.oidcIdentity.findUnique({
    where: { issuer_subject: identity },
    select: { userId: true, suspendedAt: true },
  })
  return row && { userId: row.userId, isSuspended: row.suspendedAt !== null }
}

/** Reactivates an identity that a restore suspended. */
async function confirmIdentity(identity: { issuer: string; subject: string }, tx: PrismaTransaction): Promise<void> {
  await tx.oidcIdentity.update({ where: { issuer_subject: identity }, data: { suspendedAt: null } })
}

async function insertIdentity(
  identity: { userId: string; issuer: string; subject: string },
  tx: PrismaTransaction,
): Promise<void> {
  await tx.oidcIdentity.create({ data: identity })
}

/** True when the account is already linked to another identity at the provider. */
async function hasOtherIdentity(
  { userId, issuer }: { userId: string; issuer: string },
  tx: PrismaTransaction,
): Promise<boolean> {
  return (await tx.oidcIdentity.count({ where: { userId, issuer } })) > 0
}

/** User with an email address, ignoring case. */
async function findUserByEmail(email: string, tx: PrismaTransaction): Promise<Pick<User, 'id'> | null> {
  const [user] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM users WHERE lower(email) = lower(${email})`
  return user ?? null
}

async function isNameTaken(username: string, tx: PrismaTransaction): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT id FROM users WHERE lower(username) = lower(${username})`
  return rows.length > 0
}

const TICKET_SECONDS = 10 * 60
const MAX_NAMES_TRIED = 100

const ticketDataSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** Secret of the invitation link, when the sign-in began there. */
  invitation: z.string().optional(),
})

/** Claims of the provider that Mira uses. A claim of an unexpected form counts as missing. */
const claimsSchema = z.object({
  email: emailSchema.optional().catch(undefined),
  // Cognito and some others send a string.
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .optional()
    .catch(undefined),
  name: z.string().trim().min(1).max(120).optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
})

type Profile = z.infer<typeof claimsSchema>

/** Settings of the sign-in provider. */
interface OidcRules {
  /** Name of the provider, shown on the button. */
  name: string
  /** Claim and value that make a user an administrator; null leaves roles to Mira. */
  adminClaim: { name: string; value: string } | null
}

export type OidcService = ReturnType<typeof createOidcService>

/** Sign-in at an OpenID Connect provider that the operator trusts. */
export function createOidcService(deps: {
  /** Null when the operator connected none. */
  provider: { client: OidcClient; rules: OidcRules } | null
  settings: SettingsReader
  users: UsersStore
  invitations: Pick<InvitationsStore, 'findOpen' | 'accept'>
  auth: AuthStore
  tickets: Tickets
  limits: SignInLimits
  database: Pick<Database, 'notify'>
  events: Pick<Events, 'publish'>
  log: Log
}) {
  const { provider, settings, users, invitations, tickets, limits, log } = deps

  const requireProvider = () => {
    if (provider === null) throw new NotFoundError('No sign-in provider is connected.', { code: 'oidc_off' })
    return provider
  }

  const logFailure = <T>(request: Promise<T>): Promise<T> =>
    request.catch((error: unknown) => {
      log.warn({ err: error }, 'sign-in at the provider failed')
      throw error
    })

  /** The user's name at the provider, with a number appended when it's taken. */
  const freeUsername = async (preferred: string, tx: PrismaTransaction): Promise<string> => {
    const plain = preferred.normalize('NFC').replace(/[^\p{L}\p{N}._@+-]+/gu, '.')
    const base = usernameSchema.safeParse(plain.slice(0, 56)).data ?? 'person'
    for (let n = 1; n <= MAX_NAMES_TRIED; n++) {
      const candidate = n === 1 ? base : `${base}-${n}`
      if (!(await isNameTaken(candidate, tx))) return candidate
    }
    throw new Error('no username is free')
  }

  /** Fields of an account without an invitation. @throws ForbiddenError without an email address, or if an invitation is required. */
  const uninvitedFields = ({ email }: Profile) => {
    if (!settings.current().sign_in.oidc_creates_accounts) throw noAccount()
    if (email === undefined) {
      throw new ForbiddenError('Your provider didn’t share a valid email address, which an account here requires.', {
        code: 'oidc_no_email',
      })
    }
    const permissions = { canChat: true, canUpload: false, canUseVoice: false, canUseAgents: false }
    return { email, fullName: null, role: 'user' as const, ...permissions }
  }

  /**
   * Uses up the invitation of a link.
   * @returns the fields of the account to create.
   * @throws NotFoundError when it's no longer open; ForbiddenError when it's for an administrator and the provider's claim
   *   denies that role.
   */
  const acceptInvitation = async (secret: string, isAdmin: boolean, tx: PrismaTransaction) => {
    const invitation = await invitations.findOpen(hashOf(secret), tx)
    if (invitation === null) throw noSuchInvitation()
    const isDenied = invitation.fields.role === 'admin' && requireProvider().rules.adminClaim !== null && !isAdmin
    // The invitation stays open: the invited administrator can still use it to set a password.
    if (isDenied) throw noAccount()
    if (!(await invitations.accept(invitation.id, tx))) throw noSuchInvitation()
    return invitation.fields
  }

  /** Creates an account. @param secret of an invitation's link. @throws as `uninvitedFields` and `acceptInvitation`; ConflictError. */
  const createAccount = async (
    profile: Profile,
    secret: string | undefined,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ) => {
    const fields = secret === undefined ? uninvitedFields(profile) : await acceptInvitation(secret, isAdmin, tx)
    const name = profile.preferred_username ?? fields.email.split('@')[0] ?? ''
    const user = await users.insert(
      {
        ...fields,
        username: await freeUsername(name, tx),
        fullName: profile.name ?? fields.fullName,
        role: isAdmin ? 'admin' : fields.role,
        isActive: true,
        passwordHash: null,
      },
      tx,
    )
    await users.recordAudit(tx, createdBySignIn(user, secret === undefined ? 'oidc' : 'invitation', visitor))
    return user.id
  }

  /** Links an identity that signs in for the first time to the account with its email address, or to a new one. */
  const linkAccount = async (
    { issuer, subject, claims }: OidcClaims,
    secret: string | undefined,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ): Promise<string> => {
    const profile = claimsSchema.parse(claims)
    const account = profile.email === undefined ? null : await findUserByEmail(profile.email, tx)
    if (account !== null && profile.email_verified !== true) {
      throw new ForbiddenError(
        'There is an account with your email address, and your provider does not vouch for it being yours. Ask an administrator.',
        { code: 'oidc_unverified_email' },
      )
    }
    if (account !== null && (await hasOtherIdentity({ userId: account.id, issuer }, tx))) {
      throw new ForbiddenError(
        'The account with your email address is linked to a different account at your provider. Sign in with your password and remove the sign-in provider in your settings, or ask an administrator.',
        { code: 'oidc_other_identity' },
      )
    }
    // An invitation only creates an account; it can't be accepted with an existing one.
    if (account !== null && secret !== undefined) {
      throw new ConflictError(`The email address “${profile.email}” is taken.`, { code: 'email_taken' })
    }
    const userId = account?.id ?? (await createAccount(profile, secret, isAdmin, visitor, tx))
    await insertIdentity({ userId, issuer, subject }, tx)
    return userId
  }

  /**
   * Confirms a link that a restore suspended, if the provider vouches for the account's address: the link may have been
   * removed since the backup.
   * @throws ForbiddenError when it doesn't.
   */
  const confirmSuspended = async ({ issuer, subject, claims }: OidcClaims, userId: string, tx: PrismaTransaction) => {
    const { email, email_verified: isVerified } = claimsSchema.parse(claims)
    const holder = email === undefined || isVerified !== true ? null : await findUserByEmail(email, tx)
    if (holder?.id !== userId) {
      throw new ForbiddenError(
        'A backup was restored, and signing in this way is off until you confirm it. Sign in with your password first, or ask an administrator.',
        { code: 'oidc_suspended' },
      )
    }
    await confirmIdentity({ issuer, subject }, tx)
  }

  /**
   * Grants or revokes the administrator's role as the provider's claim says. The last active administrator keeps the role.
   * @returns true when the role changed.
   */
  const applyRoleClaim = async (
    user: User,
    isAdmin: boolean,
    { address }: Visitor,
    tx: PrismaTransaction,
  ): Promise<boolean> => {
    if (isAdmin === (user.role === 'admin')) return false
    if (!isAdmin && (await users.countActiveAdminsBut(user.id, tx)) === 0) {
      log.warn({ user_id: user.id }, 'the provider revoked the role of the last administrator, who keeps it')
      return false
    }
    const role = isAdmin ? 'admin' : 'user'
    await users.update(user.id, { role }, tx)
    const detail = { changed: ['role'], role, method: 'oidc' }
    const subject = { subjectId: user.id, subjectName: user.username, detail }
    await users.recordAudit(tx, { action: 'account.updated', actorId: user.id, address, via: 'session', ...subject })
    return true
  }

  return {
    /** The provider's name; null when none is connected. */
    provider: (): { name: string } | null => provider && { name: provider.rules.name },

    /** Address of the provider's page, and the ticket to finish with. @param invitation secret of an invitation to accept. */
    async begin(invitation: string | undefined): Promise<{ url: string; ticket: string }> {
      const { url, checks } = await logFailure(requireProvider().client.begin())
      return { url, ticket: tickets.issue('oidc', { ...checks, invitation }, TICKET_SECONDS) }
    },

    /**
     * Signs in a user whom the provider has sent back.
     * @throws UnauthorizedError when the provider's response is invalid; ForbiddenError without an account; NotFoundError
     *   and ConflictError when the invitation can't be accepted.
     */
    async finish({ ticket, query, ...visitor }: Visitor & { ticket: string; query: string }): Promise<NewSession> {
      const { client, rules } = requireProvider()
      limits.requireSecretRate('oidc', visitor.address)
      const read = tickets.read('oidc', ticketDataSchema, ticket)
      // Before asking the provider, so that a code sent twice is exchanged once.
      await tickets.take(read)
      const identity = await limits
        .withConcurrencyLimit(visitor, () => logFailure(client.finish(query, read.data)))
        .catch(async (error: unknown) => {
          if (error instanceof AppError && error.status === 401) await limits.noteWrongSecret(visitor.address)
          throw error
        })
      const isAdmin =
        rules.adminClaim !== null && hasValue(claimOf(identity.claims, rules.adminClaim.name), rules.adminClaim.value)
      const { session, changedId } = await users.transaction(async (tx) => {
        await users.lockAccounts(tx)
        const { issuer, subject } = identity
        const link = await findIdentity({ issuer, subject }, tx)
        if (link?.isSuspended === true) await confirmSuspended(identity, link.userId, tx)
        const userId = link?.userId ?? (await linkAccount(identity, read.data.invitation, isAdmin, visitor, tx))
        const user = await users.find(userId, tx)
        if (user === null || !user.is_active) throw cannotSignIn()
        const isChanged = rules.adminClaim !== null && (await applyRoleClaim(user, isAdmin, visitor, tx))
        const session = await beginSession(deps, userId, { ...visitor, method: 'oidc' }, tx)
        return { session, changedId: isChanged ? userId : null }
      })
      if (changedId !== null) {
        notifyAccessChanged(deps)
        deps.events.publish(changedId, { type: 'account.updated' })
      }
      return session
    },
  }
}

function noAccount(): ForbiddenError {
  return new ForbiddenError('There is no account for you here yet. Ask an administrator.', { code: 'oidc_no_account' })
}

/** Value of a claim by its name or its path, such as `realm_access.roles`; undefined when it's missing. */
function claimOf(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, part) => {
    const hasPart = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return hasPart ? (value as Record<string, unknown>)[part] : undefined
  }, claims)
}

/** True when a claim is this value or a list that contains it. Some providers send a list as text with commas. */
function hasValue(claim: unknown, value: string): boolean {
  const items: unknown[] =
    typeof claim === 'string' ? [claim, ...claim.split(',').map((item) => item.trim())] : [claim].flat()
  return items.some((item) => item === value || (item === true && value === 'true'))
}
