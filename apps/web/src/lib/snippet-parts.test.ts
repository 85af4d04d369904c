import { expect, it } from 'vitest'
import { snippetParts } from './snippet-parts.ts'

it('marks the words that were found', () => {
  expect(snippetParts('…by the \u0002Tagus\u0003 near \u0002Lisbon\u0003')).toEqual([
    { text: '…by the ', isMatch: false },
    { text: 'Tagus', isMatch: true },
    { text: ' near ', isMatch: false },
    { text: 'Lisbon', isMatch: true },
  ])
})

it('survives a mark that is cut off and a text without any', () => {
  expect(snippetParts('the \u0002Tag')).toEqual([
    { text: 'the ', isMatch: false },
    { text: 'Tag', isMatch: true },
  ])
  expect(snippetParts('plain')).toEqual([{ text: 'plain', isMatch: false }])
})
