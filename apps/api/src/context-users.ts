import { fingerprintOf } from './adapters/secrets.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { type AuthService, createAuthService } from './features/users/auth.service.ts'
import { createAuthStore } from './features/users/auth.store.ts'
import { BCRYPT_COST, createPasswordHasher } from './features/users/password.ts'
import { createUsersService, type FirstAdmin, type UsersService } from './features/users/users.service.ts'
import { createUsersStore, type UsersStore } from './features/users/users.store.ts'

export interface UsersGround extends Pick<Context, 'log' | 'database' | 'queue' | 'jwtSecret' | 'events'> {
  config: Pick<Config, 'adminUsername' | 'adminPassword'>
  assistantName(): string
  bcryptCost: number | undefined
}

/** Builds accounts and what signs in to them, and makes the first of them on an instance that has none. */
export async function openUsers(ground: UsersGround): Promise<{
  auth: AuthService
  users: UsersService
  firstAdmin: FirstAdmin
  findUser: UsersStore['find']
}> {
  const { config, log, database, queue, jwtSecret, events, assistantName, bcryptCost } = ground
  const usersStore = createUsersStore(database)
  const authStore = createAuthStore(database)
  const passwords = createPasswordHasher(bcryptCost ?? BCRYPT_COST)
  const auth = createAuthService({ store: authStore, users: usersStore, passwords, assistantName, log })
  const users = createUsersService({
    store: usersStore,
    auth: authStore,
    passwords,
    assistantName,
    publish: events.publish,
    removeFilesOf: (userId, tx) => queue.enqueue('delete-files', { user_id: userId }, { tx }),
  })
  await auth.acceptSecret({ fingerprint: fingerprintOf(jwtSecret), isOnlyServer: database.engine === 'embedded' })
  const firstAdmin = await users.ensureFirstAdmin({ username: config.adminUsername, password: config.adminPassword })
  return { auth, users, firstAdmin, findUser: usersStore.find }
}
