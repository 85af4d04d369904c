import { expect, test } from 'vitest'
import { loadOnce } from './load-once.ts'

test('what is loaded is loaded once, and again where it failed', async () => {
  let tries = 0
  const load = loadOnce(async () => {
    tries += 1
    if (tries === 1) throw new Error('too many open files')
    return tries
  })
  expect(load.loaded).toBeUndefined()
  await expect(load()).rejects.toThrow('too many open files')
  expect(load.loaded).toBeUndefined()
  expect(await Promise.all([load(), load()])).toEqual([2, 2])
  expect(await load.loaded).toBe(2)
})
