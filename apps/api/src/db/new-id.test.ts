import { setTimeout as sleep } from 'node:timers/promises'
import { idSchema } from '@mira/shared'
import { expect, test } from 'vitest'
import { idOf, newId } from './new-id.ts'

test('ids are UUIDs that nobody has twice, and later ones sort later', async () => {
  const first = newId()
  await sleep(2)
  const ids = [first, ...Array.from({ length: 1000 }, newId)]
  for (const id of ids) expect(idSchema.safeParse(id).success).toBe(true)
  expect(new Set(ids).size).toBe(1001)
  expect(ids.slice(1).every((id) => id > first)).toBe(true)
})

test('the id of words is always the same, and another one for other words', () => {
  expect(idOf('a', 'b')).toBe(idOf('a', 'b'))
  expect(idSchema.safeParse(idOf('a', 'b')).success).toBe(true)
  expect(new Set([idOf('a', 'b'), idOf('ab'), idOf('a', 'b', ''), idOf('b', 'a')]).size).toBe(4)
})
