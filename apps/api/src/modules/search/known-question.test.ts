import { expect, test } from 'vitest'
import { knownQuestionOf } from './known-items.ts'

test('takes part of a sentence, without every third word', () => {
  expect(knownQuestionOf('The boiler (on the left) was repaired by Hartmann & Sons in March.')).toBe(
    'The boiler the left repaired by Sons in',
  )
})

test('takes a sentence from the middle, always the same one', () => {
  const text =
    'Kind regards from all of us here. Hello.\nThe deposit will be paid back in two rates. Yours truly and with best wishes'
  expect(knownQuestionOf(text)).toBe('The deposit be paid in two')
  expect(knownQuestionOf(text)).toBe(knownQuestionOf(text))
})

test('leaves out the beginning of a text in a script without spaces', () => {
  expect(knownQuestionOf('祖母の家の庭には大きな桜の木がありました。')).toBe('には大きな桜の木がありま')
})

test('gives null for texts that are too short to be distinguished', () => {
  for (const text of ['', 'A dog', 'a a a a a a a a', '写真です。', '…… — 🎈🎈🎈🎈🎈🎈'])
    expect(knownQuestionOf(text)).toBe(null)
})
