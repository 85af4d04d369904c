import { expect, it } from 'vitest'
import { firstLines, plainBeginning, textBelowTitle, titleOf } from './note-text.ts'

it('takes the first line with words as the title', () => {
  expect(titleOf('\n\n## The **boat**\nleaves at nine')).toBe('The boat')
  expect(titleOf('- milk\n- bread')).toBe('milk')
  expect(titleOf(' \n ')).toBe('')
})

it('truncates a long line at the end of a word', () => {
  const title = titleOf('word '.repeat(60))
  expect(title.length).toBeLessThanOrEqual(81)
  expect(title).toMatch(/word…$/)
})

it('omits a first line that repeats the title, and nothing else', () => {
  expect(textBelowTitle({ title: 'Boiler', text: '\n# Boiler\n\nThe valve drips' }).trim()).toBe('The valve drips')
  expect(textBelowTitle({ title: 'Boiler', text: 'Boiler and stove\nboth drip' })).toBe('Boiler and stove\nboth drip')
  expect(textBelowTitle({ title: 'Boiler', text: 'The valve\n# Boiler' })).toBe('The valve\n# Boiler')
})

it.each(['', 'a'])('never ends in half of an emoji', (start) => {
  const text = start + '🌊'.repeat(5_000)
  for (const shown of [titleOf(text), firstLines(text, 'note.md'), plainBeginning(text, 'note.txt')])
    expect(shown).toMatch(/^a?(?:🌊)+…?$/u)
})
