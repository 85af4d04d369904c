import { expect, test } from 'vitest'
import { newId } from './new-id.ts'

test('ids are of version 7, begin with the time, and each is greater than those before, however quickly they are made', () => {
  const before = Date.now()
  const ids = Array.from({ length: 20_000 }, newId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  const first = Number.parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16)
  expect(first).toBeGreaterThanOrEqual(before)
  expect(first).toBeLessThan(before + 60_000)
})
