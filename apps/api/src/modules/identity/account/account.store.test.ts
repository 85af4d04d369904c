import { expect, test } from 'vitest'
import type { Database } from '../../../platform/database/client.ts'
import { createAccountStore } from './account.store.ts'
import { deletedTables } from './owned-tables.ts'

test('a row that is being changed while its person deletes everything is deleted as well', async () => {
  const remainingTables = new Set<string>(deletedTables)
  const query = async ({ text }: { text: string }) => {
    const [, table = '', condition = ''] = /^DELETE FROM (\w+) WHERE (.*)$/s.exec(text) ?? []
    // as PostgreSQL does: what has moved away from its place meanwhile is no match any more
    return { rows: [], rowCount: !condition.startsWith('ctid') && remainingTables.delete(table) ? 1 : 0 }
  }
  const prisma = { user: { updateMany: async () => ({}) } }
  const store = createAccountStore({ pool: { query }, prisma } as unknown as Pick<Database, 'pool' | 'prisma'>)
  await store.removeAll('one')
  expect([...remainingTables]).toEqual([])
})
