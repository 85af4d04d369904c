import { readConfig } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { type Accounts, type AccountsDeps, buildAccounts } from '../src/modules/identity/index.ts'
import { createPasswordHasher } from '../src/modules/identity/users/password-hash.ts'
import type { Database } from '../src/platform/database/client.ts'
import { createUntrustedProxies } from '../src/platform/http/client-address.ts'

const settings = {
  assistant_name: 'Mira',
  sign_in: { idle_minutes: null, passwords: true, oidc_creates_accounts: false },
} as ReturnType<AccountsDeps['settings']['current']>

let lastAddress = 0
/** Returns an address that this test file hasn't used yet, since attempts to sign in are limited by address. */
export const newAddress = () => `198.51.100.${++lastAddress}`

/** Builds account and sign-in services on a database, without a server. */
export function openTestAccounts(database: Database, replaced: Partial<AccountsDeps> = {}): Accounts {
  return buildAccounts({
    config: readConfig({}),
    database,
    log: createLog('silent'),
    jwtSecret: 'a secret of at least 32 characters.',
    settings: { current: () => settings, onChange: () => () => {} },
    passwords: createPasswordHasher(4),
    untrustedProxies: createUntrustedProxies(),
    events: { publish: () => {} },
    queue: { enqueue: async () => {} },
    ...replaced,
  })
}
