import { isIP } from 'node:net'
import type { PasskeyView } from '@mira/shared'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { BadRequestError, ConflictError, NotFoundError } from '../../../errors.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { Actor, Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { UsersStore } from '../users/users.store.ts'
import { beginSession, cannotSignIn, type NewSession } from './begin-session.ts'
import type { Confirmation } from './confirmation.ts'
import type { PasskeysStore } from './passkeys.store.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import type { Tickets } from './sign-in-tickets.ts'

/** Site that passkeys belong to. */
export interface RelyingParty {
  /** Host name. */
  id: string
  origin: string
}

/**
 * Relying party for a request: `localhost` when it was sent to the port that the server listens on, otherwise the host of the
 * public URL. Null when neither can be used, since no other host in a request can be trusted.
 * @param publicUrl null when the operator didn't set one.
 */
export function relyingPartyOf(
  publicUrl: string | null,
  request: { host: string; localPort: number | undefined },
): RelyingParty | null {
  const local = `localhost:${request.localPort}`
  if (request.localPort !== undefined && request.host === local) return { id: 'localhost', origin: `http://${local}` }
  if (publicUrl === null) return null
  const { protocol, hostname, origin } = new URL(publicUrl)
  // Browsers only create passkeys for host names over TLS, and for localhost.
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null
}

const TICKET_SECONDS = 5 * 60
const MAX_PASSKEYS_PER_USER = 20
/** COSE numbers of EdDSA, ES256 and RS256; every device supports one of them. */
const ALGORITHMS = [-8, -7, -257]

const challengeSchema = z.object({ challenge: z.string(), relying_party_id: z.string(), user_id: z.uuid().nullable() })

export type PasskeysService = ReturnType<typeof createPasskeysService>

/** Signing in with a passkey: a key on a device that the user unlocks with a finger, a face or a PIN. */
export function createPasskeysService(deps: {
  store: PasskeysStore
  users: UsersStore
  auth: AuthStore
  confirmation: Confirmation
  tickets: Tickets
  limits: SignInLimits
  settings: SettingsReader
}) {
  const { store, users, confirmation, tickets, limits, settings } = deps
  // Loaded on first use, since it's large and most processes of a small instance never need it.
  const webAuthn = () => import('@simplewebauthn/server')

  const readChallenge = (purpose: 'passkey_registration' | 'passkey_sign_in', ticket: string, host: string) => {
    const contents = tickets.read(purpose, challengeSchema, ticket)
    if (contents.data.relying_party_id !== host) throw cannotSignIn()
    return contents
  }

  const verify = async (party: RelyingParty, challenge: string, response: AuthenticationResponseJSON) => {
    const passkey = await store.find(response.id)
    if (passkey === null || passkey.relyingPartyId !== party.id) return null
    const { verifyAuthenticationResponse } = await webAuthn()
    const { credentialId, publicKey, counter } = passkey
    const outcome = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: credentialId, publicKey, counter },
      // No password is asked for, so the device must have identified its user.
      requireUserVerification: true,
    }).catch(() => null)
    return outcome?.verified === true ? { passkey, ...outcome.authenticationInfo } : null
  }

  return {
    list: (userId: string): Promise<PasskeyView[]> => store.list(userId),

    /** Browser options for signing in with any passkey of this host. */
    async beginSignIn(party: RelyingParty): Promise<{ ticket: string; options: object }> {
      const { generateAuthenticationOptions } = await webAuthn()
      const options = await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required' })
      const data = { challenge: options.challenge, relying_party_id: party.id, user_id: null }
      return { ticket: tickets.issue('passkey_sign_in', data, TICKET_SECONDS), options }
    },

    /** Signs in with a passkey. @throws UnauthorizedError when the response doesn't match the challenge or the passkey is unknown. */
    async signIn(
      party: RelyingParty,
      { ticket, response, ...visitor }: Visitor & { ticket: string; response: AuthenticationResponseJSON },
    ): Promise<NewSession> {
      limits.requireSecretRate('passkey', visitor.address)
      const ticketContents = readChallenge('passkey_sign_in', ticket, party.id)
      const verified = await verify(party, ticketContents.data.challenge, response)
      if (verified === null) {
        await limits.recordWrongSecret(visitor.address)
        throw cannotSignIn()
      }
      const { passkey, newCounter: counter, credentialBackedUp: isBackedUp } = verified
      return users.transaction(async (tx) => {
        await tickets.useUp(ticketContents, tx)
        if (!(await store.use(passkey.id, { counter, isBackedUp }, tx))) throw cannotSignIn()
        return beginSession(deps, passkey.userId, { ...visitor, method: 'passkey' }, tx)
      })
    },

    /** Browser options for creating a passkey. @throws ForbiddenError as `requireFresh`. */
    async beginRegistration(
      party: RelyingParty,
      actor: Actor,
      password: string | undefined,
    ): Promise<{ ticket: string; options: object }> {
      await confirmation.requireFresh(actor, password)
      if ((await store.count(actor.userId)) >= MAX_PASSKEYS_PER_USER) {
        throw new ConflictError(`You have ${MAX_PASSKEYS_PER_USER} passkeys. Remove one that you no longer use.`, {
          code: 'too_many_passkeys',
        })
      }
      const user = await users.find(actor.userId)
      if (user === null) throw new NotFoundError('This account no longer exists.')
      const existingCredentials = await store.listCredentials(user.id, party.id)
      const { generateRegistrationOptions } = await webAuthn()
      const options = await generateRegistrationOptions({
        rpName: settings.current().assistant_name,
        rpID: party.id,
        userID: new Uint8Array(Buffer.from(user.id)),
        userName: user.username,
        userDisplayName: user.full_name ?? user.username,
        excludeCredentials: existingCredentials.map(({ credentialId, transports }) => ({
          id: credentialId,
          transports,
        })),
        supportedAlgorithmIDs: ALGORITHMS,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      const data = { challenge: options.challenge, relying_party_id: party.id, user_id: user.id }
      return { ticket: tickets.issue('passkey_registration', data, TICKET_SECONDS), options }
    },

    /** Stores a new passkey. @throws BadRequestError when the device's response doesn't match the challenge. */
    async register(
      party: RelyingParty,
      { userId, countsInAnalytics }: Actor,
      { ticket, name, response }: { ticket: string; name: string; response: RegistrationResponseJSON },
    ): Promise<PasskeyView> {
      const ticketContents = readChallenge('passkey_registration', ticket, party.id)
      if (ticketContents.data.user_id !== userId) throw cannotSignIn()
      const { verifyRegistrationResponse } = await webAuthn()
      const outcome = await verifyRegistrationResponse({
        response,
        expectedChallenge: ticketContents.data.challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        supportedAlgorithmIDs: ALGORITHMS,
        requireUserVerification: true,
      }).catch(() => null)
      if (outcome?.verified !== true) {
        throw new BadRequestError('This passkey could not be added. Try again.', { code: 'passkey_refused' })
      }
      const { credential, credentialBackedUp: isBackedUp } = outcome.registrationInfo
      return users.transaction(async (tx) => {
        await tickets.useUp(ticketContents, tx)
        const passkey = {
          userId,
          credentialId: credential.id,
          publicKey: new Uint8Array(credential.publicKey),
          counter: credential.counter,
          transports: response.response.transports ?? [],
          relyingPartyId: party.id,
        }
        const view = await store.insert({ ...passkey, name, isBackedUp }, tx)
        const detail = { action: 'passkey_added' }
        await users.recordActivity(tx, { userId, kind: 'account', detail, countsInAnalytics })
        return view
      })
    },

    /** @throws NotFoundError when the user has no such passkey. */
    async rename(userId: string, id: string, name: string): Promise<PasskeyView> {
      const renamed = await store.rename(userId, id, name)
      if (renamed === null) throw noSuchPasskey()
      return renamed
    },

    /** @throws NotFoundError when the user has no such passkey. */
    async remove({ userId, countsInAnalytics }: Actor, id: string): Promise<void> {
      await users.transaction(async (tx) => {
        if (!(await store.remove(userId, id, tx))) throw noSuchPasskey()
        const detail = { action: 'passkey_removed' }
        await users.recordActivity(tx, { userId, kind: 'account', detail, countsInAnalytics })
      })
    },
  }
}

function noSuchPasskey(): NotFoundError {
  return new NotFoundError('There is no such passkey.')
}
