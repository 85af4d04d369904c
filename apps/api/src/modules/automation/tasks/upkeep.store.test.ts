import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { createUpkeepStore } from './upkeep.store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('retries failed steps a limited number of times, and unreadable files not at all', async () => {
  const { id: userId } = await insertUser(database)
  const insertFailedStep = async (name: string, attempts: number) => {
    const { id } = await insertMediaItem(database, userId, { processingStatus: 'completed' })
    const finishedAt = new Date(Date.now() - 3_600_000)
    const step = { mediaItemId: id, name, position: 0, status: 'failed', attempts, finishedAt }
    await database.prisma.mediaStep.create({ data: step })
    return { id, userId, steps: [name] }
  }
  const retried = [
    await insertFailedStep('inspect', 4),
    await insertFailedStep('caption', 1),
    await insertFailedStep('read', 11),
  ]
  for (const [name, attempts] of [
    ['inspect', 1],
    ['inspect', 12],
    ['read', 12],
  ] as const)
    await insertFailedStep(name, attempts)
  const items = await createUpkeepStore(database).failedSteps(50)
  expect(items.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
    retried.toSorted((a, b) => a.id.localeCompare(b.id)),
  )
})
