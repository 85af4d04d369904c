import type { Config } from '../../config.ts'
import type { Context } from '../../context-type.ts'
import { createSeal } from '../../platform/lib/sealing.ts'
import { createGuardedFetch } from '../../platform/net/guarded-fetch.ts'
import { createOidcClient } from '../../platform/net/oidc-client.ts'
import { fingerprintOf } from '../../platform/storage/secrets.ts'
import { type AccessItemsService, createAccessItemsService } from './access-items/access-items.service.ts'
import { createAccessItemsStore } from './access-items/access-items.store.ts'
import { MCP_SERVERS_CHANNEL } from './access-items/mcp-servers-channel.ts'
import { createPreferencesService, type PreferencesService } from './account/preferences.service.ts'
import { createPreferencesStore } from './account/preferences.store.ts'
import { createInvitationsService, type InvitationsService } from './sign-in/invitations.service.ts'
import { createInvitationsStore } from './sign-in/invitations.store.ts'
import { createOidcService, type OidcService } from './sign-in/oidc.service.ts'
import { createOidcStore } from './sign-in/oidc.store.ts'
import { createPasskeysService, type PasskeysService } from './sign-in/passkeys.service.ts'
import { createPasskeysStore } from './sign-in/passkeys.store.ts'
import { createSessionStarter } from './sign-in/session-starter.ts'
import { createSignInStore } from './sign-in/sign-in.store.ts'
import { createSignInLimits } from './sign-in/sign-in-limits.ts'
import { createTickets } from './sign-in/sign-in-tickets.ts'
import { createTotpService, type TotpService } from './sign-in/totp.service.ts'
import { createTotpStore } from './sign-in/totp.store.ts'
import { type ApiTokensService, createApiTokensService } from './users/api-tokens.service.ts'
import { type AuthService, createAuthService } from './users/auth.service.ts'
import { createAuthStore } from './users/auth.store.ts'
import {
  createFirstAdminAndRecovery,
  type FirstAdmin,
  type FirstAdminAndRecovery,
} from './users/first-admin-and-recovery.service.ts'
import { BCRYPT_COST, createPasswordHasher, type PasswordHasher } from './users/password-hash.ts'
import { createUsersService, type UsersService } from './users/users.service.ts'
import { createUsersStore, type UsersStore } from './users/users.store.ts'

export interface AccountsTools extends Pick<Context, 'log' | 'database' | 'jwtSecret' | 'untrustedProxies'> {
  config: Pick<Config, 'oidc'>
  settings: Pick<Context['settings'], 'current'>
  publish: Parameters<typeof createUsersService>[0]['publish']
  removeFilesOf: Parameters<typeof createUsersService>[0]['removeFilesOf']
  passwords: PasswordHasher
}

/** Sign-in methods other than passwords. */
export interface SignIn {
  passkeys: PasskeysService
  totp: TotpService
  oidc: OidcService
  invitations: InvitationsService
}

export interface Accounts {
  auth: AuthService
  apiTokens: ApiTokensService
  accessItems: AccessItemsService
  users: UsersService
  operator: FirstAdminAndRecovery
  signIn: SignIn
  preferences: PreferencesService
  findUser: UsersStore['find']
}

/** Builds accounts and what signs in to them. */
export function buildAccounts(tools: AccountsTools): Accounts {
  const { config, log, database, settings, jwtSecret, publish, removeFilesOf, passwords } = tools
  const assistantName = () => settings.current().assistant_name
  const users = createUsersStore(database)
  const store = createAuthStore(database)
  const signIns = createSignInStore(database)
  const accessItems = createAccessItemsStore(database)
  const passkeysStore = createPasskeysStore(database)
  const tellAccessChanged = () => {
    database.notify(MCP_SERVERS_CHANNEL, '').catch((error: unknown) => {
      log.warn({ err: error }, 'servers could not be told that access to an account changed')
    })
  }
  const limits = createSignInLimits({ store, isSharedAddress: tools.untrustedProxies.has, log })
  const sessionStarter = createSessionStarter({
    auth: store,
    users,
    signIns,
    confirmPassword: (userId, given) => auth.confirmPassword(userId, given),
  })
  const tickets = createTickets({ seal: createSeal({ secret: jwtSecret, purpose: 'sign-in tickets' }), store: signIns })
  const common = { users, sessionStarter, tickets, limits, assistantName, log }
  const seal = createSeal({ secret: jwtSecret, purpose: 'time-based codes' })
  const totp = createTotpService({ ...common, store: createTotpStore(database), seal })
  const rules = {
    idleMinutes: () => settings.current().sign_in.idle_minutes,
    allowsPasswords: () => settings.current().sign_in.passwords,
  }
  const preferences = createPreferencesService({ store: createPreferencesStore(database), publish })
  const auth = createAuthService({
    ...common,
    store,
    signIns,
    accessItems,
    passwords,
    totp,
    rules,
    preferencesOf: preferences.read,
  })
  const signIn: SignIn = {
    totp,
    passkeys: createPasskeysService({ ...common, store: passkeysStore }),
    invitations: createInvitationsService({ ...common, passwords, store: createInvitationsStore(database) }),
    oidc: createOidcService({
      ...common,
      store: createOidcStore(database),
      provider: config.oidc && {
        client: createOidcClient({ ...config.oidc, fetch: createGuardedFetch() }),
        rules: config.oidc,
      },
      createsAccounts: () => settings.current().sign_in.oidc_creates_accounts,
    }),
  }
  const accounts = createUsersService({
    store: users,
    auth: store,
    passwords,
    assistantName,
    publish,
    removeFilesOf,
    confirmPassword: auth.confirmPassword,
    turnOffCodes: totp.turnOffFor,
    endAllAccess: accessItems.endAll,
    removePasskeys: passkeysStore.removeAll,
    tellAccessChanged,
    findSignIn: signIns.findFacts,
    requireFresh: sessionStarter.requireFresh,
  })
  const operator = createFirstAdminAndRecovery({
    store: users,
    auth: store,
    passwords,
    assistantName,
    turnOffCodes: totp.turnOffFor,
    endAllAccess: accessItems.endAll,
  })
  const access = createAccessItemsService({
    ...{ store: accessItems, auth: store, users, sessionStarter },
    tellChanged: tellAccessChanged,
  })
  const apiTokens = createApiTokensService({ store, users })
  return { auth, apiTokens, accessItems: access, users: accounts, operator, signIn, preferences, findUser: users.find }
}

export interface UsersTools
  extends Pick<Context, 'log' | 'database' | 'queue' | 'jwtSecret' | 'events' | 'untrustedProxies'>,
    Pick<AccountsTools, 'settings'> {
  bcryptCost: number | undefined
  config: Pick<Config, 'adminUsername' | 'adminPassword' | 'oidc'>
}

/** Builds accounts and what signs in to them, and makes the first of them on an instance that has none. */
export async function openUsers(tools: UsersTools): Promise<Accounts & { firstAdmin: FirstAdmin }> {
  const { config, database, queue, jwtSecret, events, bcryptCost } = tools
  const accounts = buildAccounts({
    ...tools,
    passwords: createPasswordHasher(bcryptCost ?? BCRYPT_COST),
    publish: events.publish,
    removeFilesOf: (userId, tx) => queue.enqueue('delete-files', { user_id: userId }, { tx }),
  })
  const fingerprint = fingerprintOf(jwtSecret)
  await accounts.auth.acceptSecret({ fingerprint, isOnlyServer: database.engine === 'embedded' })
  const { adminUsername: username, adminPassword: password } = config
  return { ...accounts, firstAdmin: await accounts.operator.ensureFirstAdmin({ username, password }) }
}

export type { UsersStore } from './users/users.store.ts'
export type { PreferencesService }
export { MCP_SERVERS_CHANNEL }
