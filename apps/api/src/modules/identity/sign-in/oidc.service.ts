import { emailSchema, type User, usernameSchema } from '@mira/shared'
import { z } from 'zod'
import { AppError, ForbiddenError, NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { OidcClaims, OidcClient } from '../../../platform/net/oidc-client.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import type { OidcStore } from './oidc.store.ts'
import { cannotSignIn, madeBySignIn, type NewSession, type SessionStarter, type Visitor } from './session-starter.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import type { Tickets } from './sign-in-tickets.ts'

const TICKET_SECONDS = 10 * 60
const MAX_NAMES_TRIED = 100

const checksSchema = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() })

/** Supported claims of the provider; a claim of another form counts as missing. */
const personSchema = z.object({
  email: emailSchema.optional().catch(undefined),
  // Cognito and others write it as a text
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .optional()
    .catch(undefined),
  name: z.string().trim().min(1).max(120).optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
})

/** Settings of the sign-in provider. */
export interface OidcRules {
  /** On the button. */
  name: string
  /** The claim that makes administrators, and what must be in it; null leaves roles to Mira. */
  adminClaim: { name: string; value: string } | null
}

export type OidcService = ReturnType<typeof createOidcService>

/** Signing in at an OpenID Connect provider that the operator trusts. */
export function createOidcService(deps: {
  /** Null where the operator connected none. */
  provider: { client: OidcClient; rules: OidcRules } | null
  /** True when new users get an account. */
  createsAccounts: () => boolean
  store: OidcStore
  users: UsersStore
  sessionStarter: SessionStarter
  tickets: Tickets
  limits: SignInLimits
  log: Log
}) {
  const { provider, createsAccounts, store, users, sessionStarter, tickets, limits, log } = deps

  const requireProvider = () => {
    if (provider === null) throw new NotFoundError('No sign-in provider is connected.', { code: 'oidc_off' })
    return provider
  }

  /** Asks the provider, and says in the log what was wrong with its answer. */
  const ask = <T>(question: Promise<T>): Promise<T> =>
    question.catch((error: unknown) => {
      log.warn({ err: error }, 'a sign-in at the provider failed')
      throw error
    })

  /** A name that nobody has, near to what the provider says. */
  const freeUsername = async (wanted: string, tx: PrismaTransaction): Promise<string> => {
    const plain = wanted.normalize('NFC').replace(/[^\p{L}\p{N}._@+-]+/gu, '.')
    const base = usernameSchema.safeParse(plain.slice(0, 56)).data ?? 'person'
    for (let n = 1; n <= MAX_NAMES_TRIED; n++) {
      const candidate = n === 1 ? base : `${base}-${n}`
      if (!(await store.isTaken(candidate, tx))) return candidate
    }
    throw new Error('no name is free')
  }

  const createAccount = async (
    person: z.infer<typeof personSchema>,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ) => {
    if (person.email === undefined) {
      throw new ForbiddenError('Your provider did not tell your email address, which an account here needs.', {
        code: 'oidc_no_email',
      })
    }
    const name = person.preferred_username ?? person.email.split('@')[0] ?? ''
    const user = await users.insert(
      {
        username: await freeUsername(name, tx),
        email: person.email,
        fullName: person.name ?? null,
        role: isAdmin ? 'admin' : 'user',
        canChat: true,
        canUpload: false,
        canUseVoice: false,
        canUseAgents: false,
        isActive: true,
        passwordHash: null,
      },
      tx,
    )
    await users.recordAudit(tx, madeBySignIn(user, 'oidc', visitor))
    return user.id
  }

  /** The account of somebody whom the provider named for the first time. */
  const firstAccount = async (
    { issuer, subject, claims }: OidcClaims,
    isAdmin: boolean,
    visitor: Visitor,
    tx: PrismaTransaction,
  ): Promise<string> => {
    const person = personSchema.parse(claims)
    const known = person.email === undefined ? null : await store.findByEmail(person.email, tx)
    if (
      known !== null &&
      (person.email_verified !== true || (await store.hasOther({ userId: known.id, issuer }, tx)))
    ) {
      throw new ForbiddenError(
        'There is an account with your email address, and your provider does not vouch for it being yours. Ask an administrator.',
        { code: 'oidc_unverified_email' },
      )
    }
    if (known === null && !createsAccounts()) {
      throw new ForbiddenError('There is no account for you here yet. Ask an administrator.', {
        code: 'oidc_no_account',
      })
    }
    const userId = known?.id ?? (await createAccount(person, isAdmin, visitor, tx))
    await store.insert({ userId, issuer, subject }, tx)
    return userId
  }

  /**
   * Confirms a link that a restore suspended, where the provider vouches for the account's address: it may have been
   * ended since the backup.
   * @throws ForbiddenError when it doesn't.
   */
  const confirmSuspended = async ({ issuer, subject, claims }: OidcClaims, userId: string, tx: PrismaTransaction) => {
    const { email, email_verified: isVerified } = personSchema.parse(claims)
    const holder = email === undefined || isVerified !== true ? null : await store.findByEmail(email, tx)
    if (holder?.id !== userId) {
      throw new ForbiddenError(
        'A backup was restored, and signing in this way is off until you confirm it. Sign in with your password first, or ask an administrator.',
        { code: 'oidc_suspended' },
      )
    }
    await store.confirm({ issuer, subject }, tx)
  }

  /** Gives or takes the administrator's role as the claim says; the last active administrator keeps it. */
  const followRole = async (
    user: User,
    isAdmin: boolean,
    { address }: Visitor,
    tx: PrismaTransaction,
  ): Promise<void> => {
    if (isAdmin === (user.role === 'admin')) return
    if (!isAdmin && (await users.countActiveAdminsBut(user.id, tx)) === 0) {
      log.warn({ user_id: user.id }, 'the provider took the role of the last administrator, who keeps it')
      return
    }
    const role = isAdmin ? 'admin' : 'user'
    await users.update(user.id, { role }, tx)
    const detail = { changed: ['role'], role, method: 'oidc' }
    const subject = { subjectId: user.id, subjectName: user.username, detail }
    await users.recordAudit(tx, { action: 'account.updated', actorId: user.id, address, via: 'session', ...subject })
  }

  return {
    /** The provider's name; null without one. */
    provider: (): { name: string } | null => provider && { name: provider.rules.name },

    /** Address for the browser, and the ticket that it brings back. */
    async begin(): Promise<{ url: string; ticket: string }> {
      const { url, checks } = await ask(requireProvider().client.begin())
      return { url, ticket: tickets.issue('oidc', checks, TICKET_SECONDS) }
    },

    /**
     * Signs in whom the provider sent back.
     * @throws UnauthorizedError when anything about the answer is wrong; ForbiddenError when there is no account for them.
     */
    async finish({ ticket, query, ...visitor }: Visitor & { ticket: string; query: string }): Promise<NewSession> {
      const { client, rules } = requireProvider()
      limits.requireSecretRate('oidc', visitor.address)
      const read = tickets.read('oidc', checksSchema, ticket)
      // before the provider is asked: a code that is sent twice is asked for once
      await tickets.take(read)
      const answer = await limits
        .atOnce(visitor, () => ask(client.finish(query, read.data)))
        .catch(async (error: unknown) => {
          if (error instanceof AppError && error.status === 401) await limits.noteWrongSecret(visitor.address)
          throw error
        })
      const isAdmin =
        rules.adminClaim !== null && hasValue(claimOf(answer.claims, rules.adminClaim.name), rules.adminClaim.value)
      return users.transaction(async (tx) => {
        await users.lockAccounts(tx)
        const { issuer, subject } = answer
        const known = await store.find({ issuer, subject }, tx)
        if (known?.isSuspended === true) await confirmSuspended(answer, known.userId, tx)
        const userId = known?.userId ?? (await firstAccount(answer, isAdmin, visitor, tx))
        const user = await users.find(userId, tx)
        if (user === null || !user.is_active) throw cannotSignIn()
        if (rules.adminClaim !== null) await followRole(user, isAdmin, visitor, tx)
        return sessionStarter.begin(userId, { ...visitor, method: 'oidc' }, tx)
      })
    },
  }
}

/** A claim by its name, or by its path within others: `realm_access.roles`. */
function claimOf(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((at, part) => {
    const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, part)
    return isThere ? (at as Record<string, unknown>)[part] : undefined
  }, claims)
}

/** True when a claim equals this value or is a list with it; some providers write lists with commas. */
function hasValue(claim: unknown, value: string): boolean {
  const values: unknown[] =
    typeof claim === 'string' ? [claim, ...claim.split(',').map((one) => one.trim())] : [claim].flat()
  return values.some((one) => one === value || (one === true && value === 'true'))
}
