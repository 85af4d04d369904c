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

/** Resets a lost password; with --new-secret, lets servers start with a new JWT_SECRET. */
async function resetPassword(): Promise<void> {
  const { username, isNewSecret } = readArguments()
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
      // No client is connected to this process, and nothing is deleted.
      events: { publish: () => {} },
      queue: { enqueue: async () => {} },
    })
    if (isNewSecret) {
      await auth.forgetSecret()
      console.info('\nThe next server to start sets the JWT_SECRET. Everyone has to sign in again.\n')
      return
    }
    const reset = await operator.resetPassword(username)
    console.info(
      `\nThe password of ${reset.username} is now\n\n  ${reset.password}\n\nMira asks for a new one after signing in. Authenticator codes are turned off.\n`,
    )
  } finally {
    // The change is stored already.
    await database.close().catch((error: unknown) => console.error("The database couldn't be closed cleanly:", error))
  }
}

function readArguments(): { username: string | undefined; isNewSecret: boolean } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { 'new-secret': { type: 'boolean', default: false } },
    })
    const isNewSecret = values['new-secret']
    if (positionals.length > (isNewSecret ? 0 : 1)) throw new Error('too many arguments')
    return { username: positionals[0], isNewSecret }
  } catch (error) {
    throw new StartupError(`Usage: ${USAGE}`, { cause: error })
  }
}

await resetPassword().catch((error: unknown) => {
  if (error instanceof StartupError) console.error(`Nothing was changed. ${error.message}`)
  else console.error('Nothing was changed because of an unexpected error:', error)
  process.exitCode = 1
})
