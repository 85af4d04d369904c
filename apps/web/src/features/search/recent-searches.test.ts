import { expect, it } from 'vitest'
import { parseRecent, withSearch } from './search-params.ts'

it('puts a search first, without duplicates, and drops the oldest', () => {
  expect(withSearch(['cat', 'Red Car'], 'red car')).toEqual(['red car', 'cat'])
  expect(withSearch(['1', '2', '3', '4', '5', '6', '7', '8'], '9')).toEqual(['9', '1', '2', '3', '4', '5', '6', '7'])
})

it('ignores invalid stored values', () => {
  expect(parseRecent('["cat"]')).toEqual(['cat'])
  expect(parseRecent('[1,"cat"]')).toEqual(['cat'])
  expect(parseRecent('{}')).toEqual([])
  expect(parseRecent('oops')).toEqual([])
  expect(parseRecent(null)).toEqual([])
})
