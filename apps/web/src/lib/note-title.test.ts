import { expect, it } from 'vitest'
import { titleOf } from './note-title.ts'

it('names a text by its first line with words', () => {
  expect(titleOf('\n\n## The **boat**\nleaves at nine')).toBe('The boat')
  expect(titleOf('- milk\n- bread')).toBe('milk')
  expect(titleOf(' \n ')).toBe('')
})

it('cuts a long line where a word ends', () => {
  const title = titleOf('word '.repeat(60))
  expect(title.length).toBeLessThanOrEqual(81)
  expect(title).toMatch(/word…$/)
})
