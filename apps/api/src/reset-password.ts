import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { openDatabase } from './db/client.ts'
import { StartupError } from './errors.ts'
import { createAuthService } from './features/users/auth.service.ts'
import { createAuthStore } from './features/users/auth.store.ts'
import { createPasswordHasher } from './features/users/password.ts'
import { createUsersService } from './features/users/users.service.ts'
import { createUsersStore } from './features/users/users.store.ts'
import { createLog } from './log.ts'

const USAGE = 'npm run admin:reset-password [-- <username>]   or   npm run admin:reset-password -- --new-secret'

/** Brings back into an account whose password is lost; with --new-secret, lets servers begin with another JWT_SECRET. */
async function resetPassword(): Promise<void> {
  const { positionals, values } = readArguments()
  const config = readConfig(process.env)
  const log = createLog('error')
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log })
  try {
    const assistantName = () => config.assistantName
    const store = createUsersStore(database)
    const authStore = createAuthStore(database)
    const passwords = createPasswordHasher()
    if (values['new-secret']) {
      await createAuthService({ store: authStore, users: store, passwords, assistantName, log }).forgetSecret()
      console.info('\nThe next server that starts decides on JWT_SECRET. Everybody signs in again.\n')
      return
    }
    const users = createUsersService({
      store,
      auth: authStore,
      passwords,
      assistantName,
      // nobody is connected here, and nothing is deleted
      publish: () => {},
      removeFilesOf: async () => {},
    })
    const { username, password } = await users.resetPassword(positionals[0])
    console.info(`\nThe password of ${username} is now\n\n  ${password}\n\nChange it in Settings after signing in.\n`)
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
