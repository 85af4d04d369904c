import { expect, test } from 'vitest'
import { excludedDatabaseTests, excludedLongTests } from './long-tests.ts'

const files = ['a.test.ts', 'a.long.test.ts', 'b.long.test.ts', 'c.long.spec.ts', 'd.long.spec.ts', 'e.long.test.ts']
const long = files.slice(1)

test('excludes long tests unless all are requested', () => {
  expect(excludedLongTests(files, {})).toEqual(long)
  expect(excludedLongTests(files, { TEST_LONG: '1' })).toEqual([])
})

test('the shares of four runs cover every long test once', () => {
  const run = ['1/4', '2/4', '3/4', '4/4'].flatMap((share) => {
    const excluded = excludedLongTests(files, { TEST_LONG_SHARE: share })
    return long.filter((file) => !excluded.includes(file))
  })
  expect(run.sort()).toEqual([...long].sort())
})

test('rejects an invalid share', () => {
  expect(() => excludedLongTests(files, { TEST_LONG_SHARE: '5/4' })).toThrow('such as 2/4')
})

test('on another database, runs tests of statements and tables every day, and a share of the rest', () => {
  const always = ['a.store.test.ts', 'b.upgrade.test.ts', 'src/platform/database/lock.test.ts']
  const others = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.routes.test.ts']
  const all = [...always, ...others]
  expect(excludedDatabaseTests(all, {})).toEqual([])
  const shares = ['1/3', '2/3', '3/3'].map((share) => excludedDatabaseTests(all, { TEST_DATABASE_SHARE: share }))
  expect(shares.flat().filter((file) => always.includes(file))).toEqual([])
  const run = shares.flatMap((excluded) => others.filter((file) => !excluded.includes(file)))
  expect(run.sort()).toEqual(others)
})
