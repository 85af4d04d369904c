import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { createClassifiersStore } from './classifiers.store.ts'

const database = await openTestDatabase()
const store = createClassifiersStore(database)
afterAll(() => database.close())

const trained = (accuracy: number) => ({ model: { accuracy }, trainedOn: 10, measuredOn: 5, accuracy })

test('a better classifier takes the place of the one before, and of two that are kept at once one does', async () => {
  expect(await store.current()).toBeNull()
  expect(await store.save(trained(0.5), null)).toBe(1)
  expect(await store.save(trained(0.6), null)).toBe(false)
  expect(await store.save(trained(0.7), 1)).toBe(2)
  expect(await store.current()).toMatchObject({ version: 2, model: { accuracy: 0.7 } })

  const both = await Promise.all([store.save(trained(0.8), 2), store.save(trained(0.9), 2)])
  expect(both.toSorted()).toEqual([3, false])
  expect(await store.currentVersion()).toBe(3)
  const rows = await database.prisma.classifier.findMany({ where: { isCurrent: true } })
  expect(rows).toHaveLength(1)
})
