import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { emptyDatabaseFolder } from './laid-database.ts'

// Creating a database takes four seconds of CPU time, copying one 0.1 s. Programs started by tests create their own.
vi.mock('../src/platform/database/make-database.ts', () => ({
  makeDatabase: async (directory: string) =>
    cpSync(join(emptyDatabaseFolder(), 'database'), directory, { recursive: true }),
}))
