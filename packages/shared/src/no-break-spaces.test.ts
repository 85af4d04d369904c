import { expect, test } from 'vitest'
import { withNoBreakSpaces } from './no-break-spaces.ts'

test.each([
  ['Supprimer « {name} » ?', 'Supprimer «_{name}_»_?'],
  ['Arrêté : trop long ; réessayez !', 'Arrêté_: trop long_; réessayez_!'],
  ['Das sind {percent} % mehr.', 'Das sind {percent}_% mehr.'],
  ['Suche {place} …', 'Suche {place}_…'],
  ['Il reste {megabytes, number} Mo, pas 8 Go.', 'Il reste {megabytes, number}_Mo, pas 8_Go.'],
  [
    'an address on the public internet. To allow others: ask',
    'an address on the public internet. To allow others: ask',
  ],
])('%j breaks only between words', (text, expected) => {
  expect(withNoBreakSpaces(text).replaceAll('\u00a0', '_')).toBe(expected)
})
