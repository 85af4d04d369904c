import { expect, test } from 'vitest'
import { phraseQueryOf } from './query-phrases.ts'
import { noStems } from './terms.ts'

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
