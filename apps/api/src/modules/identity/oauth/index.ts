import { VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import { createAuthStore } from '../users/auth.store.ts'
import { createUsersStore } from '../users/users.store.ts'
import { type AuthorizingService, createAuthorizingService } from './authorizing.service.ts'
import { type ClientsService, createClientsService } from './clients.service.ts'
import { createOAuthStore } from './oauth.store.ts'
import { createProgramTokensService, type ProgramTokensService } from './program-tokens.service.ts'

/** OAuth access for programs. */
export interface Programs {
  clients: ClientsService
  authorizing: AuthorizingService
  programTokens: ProgramTokensService
}

/** Builds what lets programs in by OAuth. */
export function buildPrograms({ config, database }: Pick<Context, 'config' | 'database'>): {
  programs: Programs
  close(): Promise<void>
} {
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const stores = {
    store: createOAuthStore(database),
    users: createUsersStore(database),
    auth: createAuthStore(database),
  }
  const clients = createClientsService({ ...stores, fetcher })
  return {
    programs: {
      clients,
      authorizing: createAuthorizingService({ ...stores, clients }),
      programTokens: createProgramTokensService(stores),
    },
    close: () => fetcher.close(),
  }
}
