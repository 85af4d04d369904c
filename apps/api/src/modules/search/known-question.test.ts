import { expect, test } from 'vitest'
import { knownQuestionOf } from './known-items.ts'

test('a part of a sentence is asked for, without every third word', () => {
  expect(knownQuestionOf('The boiler (on the left) was repaired by Hartmann & Sons in March.')).toBe(
    'The boiler the left repaired by Sons in',
  )
})

test('a sentence in the middle is asked for, the same each time', () => {
  const text =
    'Kind regards from all of us here. Hello.\nThe deposit will be paid back in two rates. Yours truly and with best wishes'
  expect(knownQuestionOf(text)).toBe('The deposit be paid in two')
  expect(knownQuestionOf(text)).toBe(knownQuestionOf(text))
})

test('of a script without spaces the beginning is left out', () => {
  expect(knownQuestionOf('祖母の家の庭には大きな桜の木がありました。')).toBe('には大きな桜の木がありま')
})

test('what is too short to be told from others is not asked for', () => {
  for (const text of ['', 'A dog', 'a a a a a a a a', '写真です。', '…… — 🎈🎈🎈🎈🎈🎈'])
    expect(knownQuestionOf(text)).toBe(null)
})
