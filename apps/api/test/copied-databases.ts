import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { blankFolder } from './laid-database.ts'

// Making a database takes four seconds of a processor, and copying one a tenth of one. Programs that tests start make theirs.
vi.mock('../src/platform/database/make-database.ts', () => ({
  makeDatabase: async (directory: string) => cpSync(join(blankFolder(), 'database'), directory, { recursive: true }),
}))
