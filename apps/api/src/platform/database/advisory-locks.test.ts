import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { advisoryLocks } from './advisory-locks.ts'

test('advisory locks have distinct keys, and all locks use one of them or a hash', () => {
  const keys = Object.values(advisoryLocks)
  expect(keys).toEqual([...new Set(keys)])
  const cwd = join(import.meta.dirname, '../..')
  const calls = globSync('**/!(*.test).ts', { cwd }).flatMap((file) => [
    ...readFileSync(join(cwd, file), 'utf8').matchAll(/pg_(?:try_)?advisory_(?:xact_)?(?:un)?lock\((.{0,30})/g),
  ])
  expect(calls.length).toBeGreaterThan(5)
  const otherCalls = calls.filter(([, key = '']) => !/^(\$\{advisoryLocks\.|hashtext)/.test(key))
  expect(otherCalls.map(([call]) => call)).toEqual([])
})
