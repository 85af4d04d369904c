import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { createClassifiersStore } from './classifiers.store.ts'

const database = await openTestDatabase()
const store = createClassifiersStore(database)
afterAll(() => database.close())

const trainedModel = (accuracy: number) => ({ model: { accuracy }, trainedOn: 10, measuredOn: 5, accuracy })

test('a classifier is saved only after its previous version, and one of two concurrent saves wins', async () => {
  expect(await store.current()).toBeNull()
  expect(await store.save(trainedModel(0.5), null)).toBe(1)
  expect(await store.save(trainedModel(0.6), null)).toBe(false)
  expect(await store.save(trainedModel(0.7), 1)).toBe(2)
  expect(await store.current()).toMatchObject({ version: 2, model: { accuracy: 0.7 } })

  const both = await Promise.all([store.save(trainedModel(0.8), 2), store.save(trainedModel(0.9), 2)])
  expect(both.toSorted()).toEqual([3, false])
  expect(await store.currentVersion()).toBe(3)
  const rows = await database.prisma.classifier.findMany({ where: { isCurrent: true } })
  expect(rows).toHaveLength(1)
})
