import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { createUpkeepStore } from './upkeep.store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('failed steps are retried a limited number of times, and files that can’t be read not at all', async () => {
  const { id: userId } = await insertUser(database)
  const failed = async (name: string, attempts: number) => {
    const { id } = await insertMediaItem(database, userId, { processingStatus: 'completed' })
    const finishedAt = new Date(Date.now() - 3_600_000)
    const step = { mediaItemId: id, name, position: 0, status: 'failed', attempts, finishedAt }
    await database.prisma.mediaStep.create({ data: step })
    return { id, userId, steps: [name] }
  }
  const retried = [await failed('inspect', 4), await failed('caption', 1), await failed('read', 11)]
  for (const [name, attempts] of [
    ['inspect', 1],
    ['inspect', 12],
    ['read', 12],
  ] as const)
    await failed(name, attempts)
  const items = await createUpkeepStore(database).failedSteps(50)
  expect(items.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
    retried.toSorted((a, b) => a.id.localeCompare(b.id)),
  )
})
