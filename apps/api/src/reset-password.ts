import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { StartupError } from './errors.ts'
import { createLog } from './log.ts'
import { openSettings } from './modules/admin/settings/index.ts'
import { buildAccounts } from './modules/identity/index.ts'
import { createPasswordHasher } from './modules/identity/users/password-hash.ts'
import { openDatabase } from './platform/database/client.ts'
import { createUntrustedProxies } from './platform/http/client-address.ts'
import { loadJwtSecret } from './platform/storage/secrets.ts'

const USAGE = 'npm run admin:reset-password [-- <username>]   or   npm run admin:reset-password -- --new-secret'

/** Brings back into an account whose password is lost; with --new-secret, lets servers begin with another JWT_SECRET. */
async function resetPassword(): Promise<void> {
  const { positionals, values } = readArguments()
  const config = readConfig(process.env)
  const log = createLog('error')
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log })
  try {
    const settings = await openSettings({ config, database, log })
    settings.close()
    const { auth, operator } = buildAccounts({
      config,
      database,
      log,
      settings,
      jwtSecret: loadJwtSecret({ configured: config.jwtSecret, dataDir: config.dataDir }),
      passwords: createPasswordHasher(),
      untrustedProxies: createUntrustedProxies(),
      // Nobody is connected here, and nothing is deleted.
      events: { publish: () => {} },
      queue: { enqueue: async () => {} },
    })
    if (values['new-secret']) {
      await auth.forgetSecret()
      console.info('\nThe next server that starts decides on JWT_SECRET. Everybody signs in again.\n')
      return
    }
    const { username, password } = await operator.resetPassword(positionals[0])
    console.info(
      `\nThe password of ${username} is now\n\n  ${password}\n\nMira asks for another one after signing in. Codes of an authenticator app are off.\n`,
    )
  } finally {
    await database.close()
  }
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { 'new-secret': { type: 'boolean', default: false } } })
  } catch (error) {
    throw new StartupError(`Usage: ${USAGE}`, { cause: error })
  }
}

await resetPassword().catch((error: unknown) => {
  if (error instanceof StartupError) console.error(`Nothing was changed. ${error.message}`)
  else console.error('Nothing was changed because of an unexpected error:', error)
  process.exitCode = 1
})
