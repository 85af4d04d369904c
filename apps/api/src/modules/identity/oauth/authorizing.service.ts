import {
  type AuthorizationQuery,
  type ConsentQuestion,
  type Program,
  type ProgramScope,
  programScopes,
} from '@mira/shared'
import { BadRequestError, ConflictError, NotFoundError, UnauthorizedError } from '../../../errors.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { Actor } from '../users/auth.service.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { UsersStore } from '../users/users.store.ts'
import type { ClientsService } from './clients.service.ts'
import type { OAuthClient, OAuthStore } from './oauth.store.ts'
import { newSecret, shownOf } from './oauth-secrets.ts'
import { isRegisteredRedirectUri } from './redirect-uris.ts'

const CODE_LIFETIME_MS = 60_000
const MAX_GRANTS_PER_USER = 50

/** Identity of this server: the `issuer` of tokens, and the `resource` that they open. */
export interface Audience {
  issuer: string
  resource: string
}

/** A validated request for authorisation. */
interface Asked {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
  codeChallenge: string
  scopes: ProgramScope[]
}

/** A request that may be put to the user, or an error for the program. */
type Judged = { asked: Asked } | { client: OAuthClient; redirectTo: string; description: string }

export type AuthorizingService = ReturnType<typeof createAuthorizingService>

/** Lets programs ask people for access, and keeps what they agreed to. */
export function createAuthorizingService(deps: {
  store: OAuthStore
  clients: ClientsService
  users: Pick<UsersStore, 'transaction' | 'recordAudit'>
  auth: Pick<AuthStore, 'holdSession'>
}) {
  const { store, clients, users, auth } = deps

  /** @throws BadRequestError when nobody may be sent anywhere: the address to go back to isn't the client's. */
  const judge = (client: OAuthClient, query: AuthorizationQuery, audience: Audience): Judged => {
    const { redirect_uri: redirectUri, state, scope, code_challenge: codeChallenge = '' } = query
    if (redirectUri === undefined || !isRegisteredRedirectUri(redirectUri, client.redirectUris)) {
      throw new BadRequestError('The address that the program wants you to be sent back to is not one of its own.', {
        code: 'invalid_redirect_uri',
      })
    }
    const refuse = (error: string, description: string) => ({
      client,
      description,
      redirectTo: backTo({ redirectUri, state }, audience, { error, error_description: description }),
    })
    if (query.response_type !== 'code') return refuse('unsupported_response_type', 'Only response_type=code is known.')
    if (query.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge)) {
      return refuse('invalid_request', 'PKCE is needed, with code_challenge_method=S256.')
    }
    if (!isResource(query.resource, audience)) return refuse('invalid_target', 'This server is not that resource.')
    const wanted = (scope ?? '').split(' ')
    // nothing opens without reading
    const scopes = programScopes.filter((known) => known === 'read' || wanted.includes(known))
    return { asked: { client, redirectUri, state, codeChallenge, scopes } }
  }

  const requireClientId = ({ client_id: clientId }: AuthorizationQuery): string => {
    if (clientId !== undefined) return clientId
    throw new BadRequestError('The program does not say who it is.', { code: 'invalid_client' })
  }

  /** @throws BadRequestError also for errors of the protocol, which are shown here instead of being sent to the client. */
  const requireAsked = async (query: AuthorizationQuery, audience: Audience, userId: string): Promise<Asked> => {
    const judged = judge(await clients.find(requireClientId(query), { userId }), query, audience)
    if ('asked' in judged) return judged.asked
    throw new BadRequestError('The program has not asked in the way that it should.', { code: 'bad_request' })
  }

  return {
    /**
     * Answers the browser that a program sent, before anybody signs in: nothing is fetched, and an error is sent to the
     * client only if somebody approved it before. Everything else is decided on our own page.
     * @returns the client's address to redirect to, or null for our page.
     * @throws BadRequestError when the request is wrong and the client may not be told by a redirect.
     */
    async refusal(query: AuthorizationQuery, audience: Audience): Promise<string | null> {
      const client = await clients.findRegistered(requireClientId(query))
      // its metadata document is read once a user has signed in
      if (client === null) return null
      const judged = judge(client, query, audience)
      if ('asked' in judged) return null
      if (client.isApproved) return judged.redirectTo
      throw new BadRequestError(judged.description, { code: 'invalid_request' })
    },

    /** Program and scopes to show for consent. @throws BadRequestError */
    async question(userId: string, query: AuthorizationQuery, audience: Audience): Promise<ConsentQuestion> {
      const { client, redirectUri, scopes } = await requireAsked(query, audience, userId)
      const host = client.readAt === null ? null : new URL(client.clientId).host
      return { client_name: client.name, client_host: host, redirect_uri: redirectUri, scopes }
    },

    /**
     * Keeps what the person says, and tells where their browser goes with it.
     * @throws BadRequestError when it was not asked for so; ConflictError when the person has let in too many.
     */
    async answer(
      actor: Actor,
      { query, agreed, scopes }: { query: AuthorizationQuery; agreed: boolean; scopes: readonly ProgramScope[] },
      audience: Audience,
    ): Promise<string> {
      const { userId, sessionId, address } = actor
      const asked = await requireAsked(query, audience, userId)
      if (!agreed) return backTo(asked, audience, { error: 'access_denied' })
      const { secret, secretHash } = newSecret()
      const granted = asked.scopes.filter((scope) => scope === 'read' || scopes.includes(scope))
      const id = await users.transaction(async (tx) => {
        if (!(await auth.holdSession(userId, sessionId, tx))) {
          throw new UnauthorizedError('Your session has ended. Sign in again.')
        }
        if ((await store.countGrants(userId, tx)) >= MAX_GRANTS_PER_USER) {
          throw new ConflictError(`${MAX_GRANTS_PER_USER} programs have access. End one that you no longer use.`, {
            code: 'too_many_programs',
          })
        }
        const grantId = await store.insertGrant(
          {
            userId,
            clientId: asked.client.id,
            scopes: granted,
            resource: audience.resource,
            redirectUri: asked.redirectUri,
            codeHash: secretHash,
            codeChallenge: asked.codeChallenge,
            codeExpiresAt: new Date(Date.now() + CODE_LIFETIME_MS),
          },
          tx,
        )
        await users.recordAudit(tx, {
          action: 'program.allowed',
          actorId: userId,
          via: 'session',
          address,
          subjectId: grantId,
          subjectName: asked.client.name,
          detail: { scopes: granted },
        })
        return grantId
      })
      return backTo(asked, audience, { code: shownOf('code', id, secret) })
    },

    list: (userId: string, query: PageQuery): Promise<Page<Program>> =>
      readPage(query, (limits) => store.listPrograms(userId, limits)),

    /** Ends the access of a program at once. @throws NotFoundError */
    async end({ userId, address }: Actor, id: string): Promise<void> {
      await users.transaction(async (tx) => {
        if (!(await store.removeGrant(id, tx, userId))) throw new NotFoundError('There is no such program.')
        const record = { action: 'program.ended', actorId: userId, via: 'session', address, subjectId: id } as const
        await users.recordAudit(tx, record)
      })
    },
  }
}

/** True when a program names this server as its resource, or none, as in older protocols. */
export function isResource(named: string | undefined, { resource }: Audience): boolean {
  if (named === undefined) return true
  return URL.canParse(named) && new URL(named).href.replace(/\/$/, '') === new URL(resource).href.replace(/\/$/, '')
}

/** The address of the program with an answer (RFC 9207: it says who answers). */
function backTo(
  { redirectUri, state }: { redirectUri: string; state: string | undefined },
  { issuer }: Audience,
  answer: Record<string, string>,
): string {
  const url = new URL(redirectUri)
  const parameters = { ...answer, ...(state === undefined ? {} : { state }), iss: issuer }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
