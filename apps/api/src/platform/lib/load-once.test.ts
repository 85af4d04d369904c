import { expect, test } from 'vitest'
import { loadOnce } from './load-once.ts'

test('loads once, and again after a failure', async () => {
  let attempts = 0
  const load = loadOnce(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('too many open files')
    return attempts
  })
  expect(load.loaded).toBeUndefined()
  await expect(load()).rejects.toThrow('too many open files')
  expect(load.loaded).toBeUndefined()
  expect(await Promise.all([load(), load()])).toEqual([2, 2])
  expect(await load.loaded).toBe(2)
})
