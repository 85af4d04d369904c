import { setTimeout as sleep } from 'node:timers/promises'
import { idSchema } from '@mira/shared'
import { expect, test } from 'vitest'
import { deterministicId, newId } from './new-id.ts'

test('ids are unique UUIDs, and later ones sort later', async () => {
  const first = newId()
  await sleep(2)
  const ids = [first, ...Array.from({ length: 1000 }, newId)]
  for (const id of ids) expect(idSchema.safeParse(id).success).toBe(true)
  expect(new Set(ids).size).toBe(1001)
  expect(ids.slice(1).every((id) => id > first)).toBe(true)
})

test('the id of some strings is always the same, and differs for others', () => {
  expect(deterministicId('a', 'b')).toBe(deterministicId('a', 'b'))
  expect(idSchema.safeParse(deterministicId('a', 'b')).success).toBe(true)
  expect(
    new Set([
      deterministicId('a', 'b'),
      deterministicId('ab'),
      deterministicId('a', 'b', ''),
      deterministicId('b', 'a'),
    ]).size,
  ).toBe(4)
})

test('ids are UUIDs of version 7 that begin with the time and increase, however quickly they are made', () => {
  const before = Date.now()
  const ids = Array.from({ length: 20_000 }, newId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  const first = Number.parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16)
  expect(first).toBeGreaterThanOrEqual(before)
  expect(first).toBeLessThan(before + 60_000)
})
