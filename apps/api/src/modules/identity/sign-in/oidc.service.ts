import { emailSchema, type OidcStart, type User, usernameSchema } from '@mira/shared'
import { toUsername } from '@mira/shared/constants/accounts'
import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import {
  AppError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  sentenceOf,
  UnauthorizedError,
  UnavailableError,
} from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { OidcClaims, OidcClient } from '../../../platform/net/oidc-client.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { notifyAccessChanged } from '../access-items/access-items.service.ts'
import type { Actor, Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import { beginSession, cannotSignIn, createdBySignIn, type NewSession } from './begin-session.ts'
import type { Confirmation } from './confirmation.ts'
import { hashOf, noSuchInvitation } from './invitations.service.ts'
import type { InvitationsStore } from './invitations.store.ts'
import {
  confirmIdentity,
  findLink,
  findUserByEmail,
  hasOtherWay,
  isNameTaken,
  linksOf,
  replaceLinks,
} from './oidc.store.ts'
import { claimOf, hasValue } from './oidc-claims.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import { signInExpired, type Tickets } from './sign-in-tickets.ts'

const TICKET_SECONDS = 10 * 60
const MAX_NAMES_TRIED = 100

const ticketDataSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** Secret of the invitation link, when the sign-in began there. */
  invitation: z.string().optional(),
  /** Session of the user who links the provider to their account. */
  linking: z.object({ userId: z.uuid(), sessionId: z.uuid() }).optional(),
})
type TicketData = z.infer<typeof ticketDataSchema>

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

/** Query of the provider's redirect, with the ticket of the sign-in. */
type FinishRequest = Visitor & { ticket: string; query: string }

/** Settings of the sign-in provider. */
interface OidcRules {
  /** Name of the provider, shown on the button. */
  name: string
  /** Claim and value that make a user an administrator; null leaves roles to Mira. */
  adminClaim: { name: string; value: string } | null
}

export type OidcService = ReturnType<typeof createOidcService>

/** Sign-in with an OpenID Connect provider that the operator trusts. */
export function createOidcService(deps: {
  /** Null when the operator configured no provider. */
  provider: { client: OidcClient; rules: OidcRules } | null
  settings: SettingsReader
  users: UsersStore
  invitations: Pick<InvitationsStore, 'findOpen' | 'accept'>
  auth: AuthStore
  confirmation: Confirmation
  tickets: Tickets
  limits: SignInLimits
  database: Pick<Database, 'notify'>
  events: Pick<Events, 'publish'>
  log: Log
}) {
  const { provider, settings, users, auth, invitations, tickets, limits, log } = deps

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
  const findFreeUsername = async (preferred: string, tx: PrismaTransaction): Promise<string> => {
    const base = usernameSchema.safeParse(cutText(toUsername(preferred), 56)).data ?? 'person'
    for (let n = 1; n <= MAX_NAMES_TRIED; n++) {
      const candidate = n === 1 ? base : `${base}-${n}`
      if (!(await isNameTaken(candidate, tx))) return candidate
    }
    throw new Error('no username is free')
  }

  /**
   * Fields of an account without an invitation.
   * @throws ForbiddenError when there's no email address or an invitation is required.
   */
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
   * Accepts the invitation that the user signs in with.
   * @returns the fields of the account to create.
   * @throws NotFoundError when it's no longer open; ForbiddenError when it's for an administrator but the provider's claim
   *   denies that role.
   */
  const acceptInvitation = async (invitationSecret: string, isAdmin: boolean, tx: PrismaTransaction) => {
    const invitation = await invitations.findOpen(hashOf(invitationSecret), tx)
    if (invitation === null) throw noSuchInvitation()
    const isDenied = invitation.fields.role === 'admin' && requireProvider().rules.adminClaim !== null && !isAdmin
    // The invitation stays open, so that the invited administrator can still use it to set a password.
    if (isDenied) throw noAccount()
    if (!(await invitations.accept(invitation.id, tx))) throw noSuchInvitation()
    return invitation.fields
  }

  /** Creates an account. @throws the errors of `uninvitedFields` and `acceptInvitation`; ConflictError. */
  const createAccount = async (
    profile: Profile,
    invitationSecret: string | undefined,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ) => {
    const fields =
      invitationSecret === undefined ? uninvitedFields(profile) : await acceptInvitation(invitationSecret, isAdmin, tx)
    const name = profile.preferred_username ?? fields.email.split('@')[0] ?? ''
    const user = await users.insert(
      {
        ...fields,
        username: await findFreeUsername(name, tx),
        fullName: profile.name ?? fields.fullName,
        role: isAdmin ? 'admin' : fields.role,
        isActive: true,
        passwordHash: null,
      },
      tx,
    )
    await users.recordAudit(tx, createdBySignIn(user, invitationSecret === undefined ? 'oidc' : 'invitation', visitor))
    return user.id
  }

  /** Links an identity that signs in for the first time to the account with its email address, or to a new one. */
  const linkAccount = async (
    { issuer, subject, claims }: OidcClaims,
    invitationSecret: string | undefined,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ): Promise<string> => {
    const profile = claimsSchema.parse(claims)
    const account = profile.email === undefined ? null : await findUserByEmail(profile.email, tx)
    if (account !== null && profile.email_verified !== true) {
      throw new ForbiddenError(
        'There is an account with your email address, and your provider does not vouch for it being yours. Sign in another way and link the provider in your settings, or ask an administrator.',
        { code: 'oidc_unverified_email' },
      )
    }
    const links = account && (await linksOf({ userId: account.id, issuer }, tx))
    if (links === 'linked') {
      throw new ForbiddenError(
        'The account with your email address is linked to a different account at your provider. Sign in another way, remove the sign-in provider in your settings and link it again, or ask an administrator.',
        { code: 'oidc_other_identity' },
      )
    }
    if (account !== null && links === 'removed') {
      // A removed link is only restored when there's no other way to sign in to the account.
      if (await hasOtherWay(account.id, settings.current().sign_in.passwords, tx)) throw linkRemoved()
    }
    // An invitation only creates an account; it can't be accepted for an existing one.
    if (account !== null && invitationSecret !== undefined) {
      throw new ConflictError(`The email address “${profile.email}” is taken.`, { code: 'email_taken' })
    }
    const userId = account?.id ?? (await createAccount(profile, invitationSecret, isAdmin, visitor, tx))
    await replaceLinks({ userId, issuer, subject }, tx)
    return userId
  }

  /**
   * Links an identity to the account of the user who started the linking.
   * @throws UnauthorizedError when their session has ended; ConflictError when the identity is linked to another account.
   */
  const linkToSignedInUser = async (
    { issuer, subject }: OidcClaims,
    { userId, sessionId }: NonNullable<TicketData['linking']>,
    tx: PrismaTransaction,
  ): Promise<string> => {
    if (!(await auth.lockSession(userId, sessionId, tx))) throw signInExpired()
    const link = await findLink({ issuer, subject }, tx)
    if (link !== null && link.userId !== userId) {
      throw new ConflictError(
        'Your account at the provider is linked to another account here. Remove it there first.',
        {
          code: 'oidc_taken',
        },
      )
    }
    await replaceLinks({ userId, issuer, subject }, tx)
    return userId
  }

  /**
   * Confirms a link that a restore suspended, if the provider vouches for the account's email address. Otherwise it stays
   * suspended, since the user may have removed the link after the backup.
   * @throws ForbiddenError when the provider doesn't.
   */
  const confirmSuspended = async ({ issuer, subject, claims }: OidcClaims, userId: string, tx: PrismaTransaction) => {
    const { email, email_verified: isVerified } = claimsSchema.parse(claims)
    const holder = email === undefined || isVerified !== true ? null : await findUserByEmail(email, tx)
    if (holder?.id !== userId) {
      throw new ForbiddenError(
        'A backup was restored, and signing in this way is off until you confirm it. Sign in another way first, or ask an administrator.',
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
    if (!isAdmin && (await users.countOtherActiveAdmins(user.id, tx)) === 0) {
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

  /**
   * Id of the account that an identity is linked to, if necessary by `linkAccount`.
   * @throws the errors of that and of `confirmSuspended`.
   */
  const findOrLinkAccount = async (
    identity: OidcClaims,
    invitationSecret: string | undefined,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ): Promise<string> => {
    const link = await findLink(identity, tx)
    if (link === null) return linkAccount(identity, invitationSecret, isAdmin, visitor, tx)
    if (link.isSuspended) await confirmSuspended(identity, link.userId, tx)
    return link.userId
  }

  const begin = async (purpose: Pick<TicketData, 'invitation' | 'linking'>): Promise<OidcStart> => {
    const { url, checks } = await logFailure(requireProvider().client.begin())
    return {
      url,
      ticket: tickets.issue(purpose.linking ? 'oidc_link' : 'oidc', { ...checks, ...purpose }, TICKET_SECONDS),
    }
  }

  const finishSignIn = async (
    { ticket, query, ...visitor }: FinishRequest,
    purpose: 'oidc' | 'oidc_link',
  ): Promise<NewSession> => {
    const { client, rules } = requireProvider()
    limits.requireSecretRate('oidc', visitor.address)
    const ticketContents = tickets.read(purpose, ticketDataSchema, ticket)
    // The ticket is used up before the provider is asked, so that a code sent twice is exchanged only once.
    await tickets.useUp(ticketContents)
    const identity = await limits
      .withConcurrencyLimit(visitor, () => logFailure(client.finish(query, ticketContents.data)))
      .catch(async (error: unknown) => {
        if (error instanceof AppError && error.status === 401) await limits.recordWrongSecret(visitor.address)
        throw error
      })
    const { adminClaim } = rules
    const roleClaim = adminClaim === null ? undefined : claimOf(identity.claims, adminClaim.name)
    const isAdmin = adminClaim !== null && hasValue(roleClaim, adminClaim.value)
    const isRoleUnknown = adminClaim !== null && roleClaim === undefined && !identity.isComplete
    if (isRoleUnknown) log.warn({ claim: adminClaim.name }, 'the provider did not state the claim for administrators')
    const { session, changedUserId } = await users.transaction(async (tx) => {
      await users.lockAccounts(tx)
      const { linking, invitation } = ticketContents.data
      const userId = linking
        ? await linkToSignedInUser(identity, linking, tx)
        : await findOrLinkAccount(identity, invitation, isAdmin, visitor, tx)
      const user = await users.find(userId, tx)
      if (user === null || !user.is_active) throw cannotSignIn()
      // The role can be neither kept nor taken without knowing whether the provider still grants it.
      const isUnproven = isRoleUnknown && user.role === 'admin'
      if (isUnproven && (await users.countOtherActiveAdmins(userId, tx)) > 0) throw roleUnknown()
      const isChanged = adminClaim !== null && !isRoleUnknown && (await applyRoleClaim(user, isAdmin, visitor, tx))
      const session = await beginSession(deps, userId, { ...visitor, method: 'oidc' }, tx)
      // The browser drops the token of the session that it had until now.
      if (linking) await auth.removeSession(userId, linking.sessionId, tx)
      return { session, changedUserId: isChanged ? userId : null }
    })
    if (changedUserId !== null) {
      notifyAccessChanged(deps)
      deps.events.publish(changedUserId, { type: 'account.updated' })
    }
    return session
  }

  return {
    /** The provider's name; null when none is connected. */
    provider: (): { name: string } | null => provider && { name: provider.rules.name },

    /** URL of the provider's page, and the ticket for `finish`. @param invitation secret of an invitation to accept. */
    begin: (invitation: string | undefined): Promise<OidcStart> => begin({ invitation }),

    /** Like `begin`, but finishing links the provider to the actor's account. @throws ForbiddenError as `requireFresh` */
    async beginLinking(actor: Actor, password: string | undefined): Promise<OidcStart> {
      requireProvider()
      await deps.confirmation.requireFresh(actor, password)
      return begin({ linking: { userId: actor.userId, sessionId: actor.sessionId } })
    },

    /**
     * Signs in a user whom the provider has sent back.
     * @throws UnauthorizedError when the ticket or the provider's response is invalid, or ForbiddenError when linking;
     *   ForbiddenError when the user has no account; NotFoundError and ConflictError when the invitation can't be accepted;
     *   ConflictError as `linkToSignedInUser`; UnavailableError when the provider doesn't respond.
     */
    async finish(request: FinishRequest): Promise<NewSession> {
      // A purpose of its own, so that a server of an earlier version refuses to sign in with it.
      const isLinking = tickets.decrypt('oidc_link', ticketDataSchema, request.ticket) !== null
      try {
        return await finishSignIn(request, isLinking ? 'oidc_link' : 'oidc')
      } catch (error) {
        if (!isLinking || !(error instanceof UnauthorizedError)) throw error
        // After a 401, clients drop the token that they sent, but a failed linking doesn't end the user's session.
        throw new ForbiddenError(sentenceOf(error), { code: error.code, cause: error })
      }
    },
  }
}

function roleUnknown(): UnavailableError {
  return new UnavailableError('The sign-in provider isn’t responding. Try again in a moment.', {
    code: 'oidc_unreachable',
  })
}

function linkRemoved(): ForbiddenError {
  return new ForbiddenError(
    'The sign-in provider was removed from the account with your email address. Sign in another way and link it in your settings, or ask an administrator.',
    { code: 'oidc_link_removed' },
  )
}

function noAccount(): ForbiddenError {
  return new ForbiddenError('There is no account for you here yet. Ask an administrator.', { code: 'oidc_no_account' })
}
