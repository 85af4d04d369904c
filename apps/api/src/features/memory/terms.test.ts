import { expect, test } from 'vitest'
import { askedTerms, noStems, phraseQueryOf, tsqueryOf } from './terms.ts'

test('Chinese words are looked for by their characters as well, which tell less', () => {
  const terms = askedTerms({ text: '每月房租', isOpen: false })
  expect(terms.map(({ word, weight }) => [word, weight])).toEqual([
    ...[
      ['每月', 1],
      ['月房', 1],
      ['房租', 1],
    ],
    ...['每', '月', '房', '租'].map((character) => [character, 0.35]),
  ])
  expect(tsqueryOf({ word: '租', stems: noStems, isOpen: false })).toBe("'租':*")
})

test('letters of other scripts without spaces tell nothing by themselves', () => {
  expect(askedTerms({ text: 'ค่าเช่า', isOpen: false }).every(({ weight }) => weight === 1)).toBe(true)
})

test.each([
  ['red bicycle', "('red') & ('bicycle')"],
  ['bicycle', "('bicycle')"],
  // an end that is no letter may stand in the middle of a word
  ['-red bicycle', "('bicycle')"],
  ['the 东京塔', "('the') & ('东京')"],
  ['东京塔', null],
])('of the phrase %s the index is asked for the words that a text has to hold', (phrase, query) => {
  expect(phraseQueryOf(phrase, () => noStems)).toBe(query)
})
