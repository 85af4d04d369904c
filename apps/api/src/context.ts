import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { type Database, openDatabase } from './db/client.ts'
import type { Authenticate } from './http/auth.ts'
import { createLog } from './log.ts'
import { createQueue, type Queue } from './jobs/queue.ts'

/** Every object of a running server, built once. */
export interface Context {
  config: Config
  log: Logger
  database: Database
  queue: Queue
  /** Signs and verifies tokens; the same on every server of an instance. */
  jwtSecret: string
  authenticate(app: FastifyInstance): Authenticate
  /** Ends everything in order: what makes work first, what holds data last. */
  close(): Promise<void>
}

/** What tests replace: things at the outermost edge only. */
export interface ContextOverrides {
  database?: Database
}

/**
 * Builds every object on a configuration: database first, then what reads it, then what serves people.
 * @throws StartupError when the database, the data folder or a secret cannot be used.
 */
export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<Context> {
  const log = createLog(config.logLevel)
  const database =
    overrides.database ??
    (await openDatabase({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      migrationsDir: config.migrationsDir,
      log,
    }))
  const queue = createQueue({ pool: database.pool, log })
  return {
    config,
    log,
    database,
    queue,
    close: async () => {
      await queue.stop()
      await database.close()
    },
  }
}
