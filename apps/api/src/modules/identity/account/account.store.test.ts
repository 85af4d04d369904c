import { expect, test } from 'vitest'
import type { Database } from '../../../platform/database/client.ts'
import { createAccountStore } from './account.store.ts'
import { deletedTables } from './owned-tables.ts'

test('deletes a row that is being updated while its user deletes everything', async () => {
  const remainingTables = new Set<string>(deletedTables)
  const query = async ({ text }: { text: string }) => {
    const [, table = '', condition = ''] = /^DELETE FROM (\w+) WHERE (.*)$/s.exec(text) ?? []
    // as in PostgreSQL: an updated row has another ctid, which no longer matches
    return { rows: [], rowCount: !condition.startsWith('ctid') && remainingTables.delete(table) ? 1 : 0 }
  }
  const prisma = { user: { updateMany: async () => ({}) } }
  const store = createAccountStore({ pool: { query }, prisma } as unknown as Pick<Database, 'pool' | 'prisma'>)
  await store.removeAll('one')
  expect([...remainingTables]).toEqual([])
})
