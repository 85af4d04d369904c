import { expect, it } from 'vitest'
import { previewOf } from './queue-list-panel.tsx'

it('truncates a text to a number of characters, and keeps shorter ones', () => {
  expect(previewOf('a'.repeat(101), 100)).toBe(`${'a'.repeat(100)}…`)
  expect(previewOf('a'.repeat(100), 100)).toBe('a'.repeat(100))
  expect(previewOf('🌻🌻🌻', 2)).toBe('🌻🌻…')
  expect(previewOf('ab👨‍👩‍👧c', 4)).toBe('ab…')
})

it('joins lines, and returns null for an empty text', () => {
  expect(previewOf('  one\n\n two ', 100)).toBe('one two')
  expect(previewOf(' \n', 100)).toBeNull()
  expect(previewOf(null, 100)).toBeNull()
})
