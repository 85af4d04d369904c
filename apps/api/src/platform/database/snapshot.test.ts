import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database-template.ts'
import type { Database } from './client.ts'
import { openEmbeddedSnapshot, openServerSnapshot, type Snapshot } from './snapshot.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const open = (signal?: AbortSignal): Promise<Snapshot> =>
  database.engine === 'embedded'
    ? openEmbeddedSnapshot(database.pool, signal)
    : openServerSnapshot(database.databaseUrl ?? '', signal)
const addSetting = (key: string, { prisma }: Pick<Database, 'prisma'> = database) =>
  prisma.setting.create({ data: { key, value: 1 } })
/** Keys of the settings in a snapshot. */
async function keysIn({ tables }: Snapshot): Promise<string[]> {
  const keys: string[] = []
  for (const { name, pieces } of tables) {
    if (name !== 'settings') continue
    for await (const rows of pieces()) keys.push(...rows.map((row) => (JSON.parse(row) as { key: string }).key))
  }
  return keys
}

test('a snapshot waits while another one is read, and each shows a single moment', async () => {
  await addSetting('before')
  const first = await open()
  await addSetting('between')
  const controller = new AbortController()
  const abandoned = open(controller.signal)
  const second = open()
  controller.abort(new Error('given up'))
  await expect(abandoned).rejects.toThrow('given up')
  const keys = await keysIn(first)
  expect([keys.includes('before'), keys.includes('between')]).toEqual([true, false])
  await first.close()
  expect(await keysIn(await second)).toContain('between')
  await (await second).close()
})
