import type { Common } from '../../common.ts'
import type { Config } from '../../config.ts'
import type { Events } from '../../platform/events/events.service.ts'
import { createSeal } from '../../platform/lib/sealing.ts'
import { createGuardedFetch } from '../../platform/net/guarded-fetch.ts'
import { createOidcClient } from '../../platform/net/oidc-client.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import type { SettingsReader } from '../../platform/settings/settings.service.ts'
import { fingerprintOf } from '../../platform/storage/secrets.ts'
import { createAccessItemsService } from './access-items/access-items.service.ts'
import { createAccountStore } from './account/account.store.ts'
import { createDeletionService, type PartialUploads } from './account/deletion.service.ts'
import { type ConversationExports, createExportService, type Notifications } from './account/export.service.ts'
import { createPreferencesService } from './account/preferences.service.ts'
import { createAuditSealing, createAuditService } from './audit/audit.service.ts'
import { createAuthorizingService } from './oauth/authorizing.service.ts'
import { createClientsService } from './oauth/clients.service.ts'
import { createOAuthStore } from './oauth/oauth.store.ts'
import { createProgramTokensService } from './oauth/program-tokens.service.ts'
import { type Confirmation, createConfirmation } from './sign-in/confirmation.ts'
import { createInvitationsService } from './sign-in/invitations.service.ts'
import { createInvitationsStore } from './sign-in/invitations.store.ts'
import { createOidcService } from './sign-in/oidc.service.ts'
import { createPasskeysService } from './sign-in/passkeys.service.ts'
import { createPasskeysStore } from './sign-in/passkeys.store.ts'
import { createSignInStore } from './sign-in/sign-in.store.ts'
import { createSignInLimits } from './sign-in/sign-in-limits.ts'
import { createTickets } from './sign-in/sign-in-tickets.ts'
import { createTotpService } from './sign-in/totp.service.ts'
import { createTotpStore } from './sign-in/totp.store.ts'
import { createApiTokensService } from './users/api-tokens.service.ts'
import { createAuthService } from './users/auth.service.ts'
import { createAuthStore } from './users/auth.store.ts'
import { createFirstAdminAndRecovery } from './users/first-admin-and-recovery.service.ts'
import { BCRYPT_COST, createPasswordHasher, type PasswordHasher } from './users/password-hash.ts'
import { createUsersService } from './users/users.service.ts'
import { createUsersStore } from './users/users.store.ts'

export interface AccountsDeps extends Pick<Common, 'log' | 'database' | 'jwtSecret' | 'untrustedProxies'> {
  config: Pick<Config, 'oidc'>
  queue: Pick<Queue, 'enqueue'>
  events: Pick<Events, 'publish'>
  settings: SettingsReader
  passwords: PasswordHasher
}

export type Accounts = ReturnType<typeof buildAccounts>

/** Accounts and the ways to sign in to them. */
export function buildAccounts(deps: AccountsDeps) {
  const { config, log, database, jwtSecret } = deps
  const users = createUsersStore(database)
  const account = createAccountStore(database)
  const auth = createAuthStore(database)
  const signIns = createSignInStore(database)
  const passkeys = createPasskeysStore(database)
  const totp = createTotpStore(database)
  const limits = createSignInLimits({ store: auth, untrustedProxies: deps.untrustedProxies, log })
  const stores = { ...deps, users, account, auth, signIns, passkeys, totp, limits }
  const confirmation = createConfirmation(stores)
  const tickets = createTickets({ seal: createSeal({ secret: jwtSecret, purpose: 'sign-in tickets' }), store: signIns })
  const common = { ...stores, confirmation, tickets }
  const preferences = createPreferencesService(common)
  const invitations = createInvitationsStore(database)
  const signIn = {
    totp: createTotpService({
      ...common,
      store: totp,
      seal: createSeal({ secret: jwtSecret, purpose: 'time-based codes' }),
    }),
    passkeys: createPasskeysService({ ...common, store: passkeys }),
    invitations: createInvitationsService({ ...common, store: invitations, hasProvider: config.oidc !== null }),
    oidc: createOidcService({
      ...common,
      invitations,
      provider: config.oidc && {
        client: createOidcClient({ ...config.oidc, fetch: createGuardedFetch() }),
        rules: config.oidc,
      },
    }),
  }
  return {
    auth: createAuthService({ ...common, totp: signIn.totp, preferences }),
    confirmation,
    apiTokens: createApiTokensService(common),
    accessItems: createAccessItemsService(common),
    users: createUsersService(common),
    operator: createFirstAdminAndRecovery(common),
    /** Sign-in methods other than passwords. */
    signIn,
    preferences,
  }
}

/** Accounts, OAuth access for programs, and the audit log; creates the first account of a new instance. */
export async function openIdentity({ bcryptCost = BCRYPT_COST, ...deps }: Common & { bcryptCost: number | undefined }) {
  const { config, database, fetcher } = deps
  const accounts = buildAccounts({ ...deps, passwords: createPasswordHasher(bcryptCost) })
  const fingerprint = fingerprintOf(deps.jwtSecret)
  await accounts.auth.acceptSecret({ fingerprint, isOnlyServer: database.engine === 'embedded' })
  const { adminUsername: username, adminPassword: password } = config
  const oauth = {
    store: createOAuthStore(database),
    users: createUsersStore(database),
    auth: createAuthStore(database),
  }
  const clients = createClientsService({ ...oauth, fetcher })
  return {
    ...accounts,
    /** OAuth access for programs. */
    programs: {
      clients,
      authorizing: createAuthorizingService({ ...oauth, clients }),
      programTokens: createProgramTokensService(oauth),
    },
    audit: createAuditService(database),
    auditSealing: createAuditSealing({ ...deps, syslog: config.auditSyslog }),
    firstAdmin: await accounts.operator.ensureFirstAdmin({ username, password }),
  }
}

/** Export and deletion of a user's data. */
export function buildAccountData(
  deps: Common & {
    partialUploads: PartialUploads
    confirmation: Confirmation
    chatExports: ConversationExports
    notifications: Notifications
  },
) {
  const account = createAccountStore(deps.database)
  return {
    exports: createExportService({ ...deps, account }),
    deletion: createDeletionService({ ...deps, account }),
  }
}

export { MCP_SERVERS_CHANNEL } from './access-items/access-items.service.ts'
export type { PreferencesService } from './account/preferences.service.ts'
export { createStorageUse, type StorageUseService } from './users/storage-use.service.ts'
