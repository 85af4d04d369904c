import { expect, it } from 'vitest'
import { highlightedParts } from './inline-text.ts'

it('splits a text into matches and the parts between them', () => {
  const ranges = [
    [8, 13],
    [19, 25],
  ] as const
  expect(highlightedParts('…by the Tagus near Lisbon', ranges)).toEqual([
    { text: '…by the ', isMatch: false },
    { text: 'Tagus', isMatch: true },
    { text: ' near ', isMatch: false },
    { text: 'Lisbon', isMatch: true },
  ])
  expect(highlightedParts('plain')).toEqual([{ text: 'plain', isMatch: false }])
})
