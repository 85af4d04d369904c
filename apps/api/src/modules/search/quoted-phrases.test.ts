import { expect, test } from 'vitest'
import { phraseQueryOf } from './query-phrases.ts'
import { noStems } from './terms.ts'

test.each([
  ['red bicycle', "('red') & ('bicycle')"],
  ['bicycle', "('bicycle')"],
  // an end that isn't a letter may be in the middle of a word
  ['-red bicycle', "('bicycle')"],
  ['the 东京塔', "('the') & ('东京')"],
  ['东京塔', null],
])('for the phrase %s, queries the index for the words that a text must contain', (phrase, query) => {
  expect(phraseQueryOf(phrase, () => noStems)).toBe(query)
})
