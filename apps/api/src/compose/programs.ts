import { VERSION } from '../config.ts'
import { createAuthStore } from '../features/users/auth.store.ts'
import { type AuthorizingService, createAuthorizingService } from '../features/users/oauth/authorizing.service.ts'
import { type ClientsService, createClientsService } from '../features/users/oauth/clients.service.ts'
import { createOAuthStore } from '../features/users/oauth/oauth.store.ts'
import {
  createProgramTokensService,
  type ProgramTokensService,
} from '../features/users/oauth/program-tokens.service.ts'
import { createUsersStore } from '../features/users/users.store.ts'
import { createSafeFetcher } from '../platform/net/safe-fetcher.ts'
import type { Context } from './context-type.ts'

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
