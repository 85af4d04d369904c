import { expect, test } from 'vitest'
import { noStems, queryTerms, tsqueryOf } from './terms.ts'

test('Chinese words are also searched for by their characters, which have less weight', () => {
  const terms = queryTerms({ text: '每月房租', mayEndInPrefix: false })
  expect(terms.map(({ word, weight }) => [word, weight])).toEqual([
    ...[
      ['每月', 1],
      ['月房', 1],
      ['房租', 1],
    ],
    ...['每', '月', '房', '租'].map((character) => [character, 0.35]),
  ])
  expect(tsqueryOf({ word: '租', stems: noStems, isPrefix: false })).toBe("'租':*")
})

test('single letters of other scripts without spaces aren’t searched for', () => {
  expect(queryTerms({ text: 'ค่าเช่า', mayEndInPrefix: false }).every(({ weight }) => weight === 1)).toBe(true)
})
