import { expect, test } from 'vitest'
import { csvOf, extensionOf, previewKindOf } from './artifact.ts'

test('a table for spreadsheets keeps its words, and none of them becomes a formula', () => {
  const rows = [
    ['Name', 'Note'],
    ['Anna, "B."', 'two\nlines'],
    ['=1+1', '@sum'],
    ['-3', '+4.5'],
    ['-x', '+49 30'],
  ]
  expect(csvOf(rows)).toBe(
    '\uFEFFName,Note\r\n"Anna, ""B.""","two\nlines"\r\n\'=1+1,\'@sum\r\n-3,+4.5\r\n\'-x,\'+49 30\r\n',
  )
})

test('code is shown as what it makes where its language says what that is', () => {
  expect(['HTML', 'svg', 'mermaid', 'js', 'python', '', 'constructor'].map((one) => previewKindOf(one, ''))).toEqual([
    ...['html', 'svg', 'mermaid', 'script'],
    ...['python', null, null],
  ])
  expect(previewKindOf('xml', '<?xml version="1.0"?>\n<svg width="1">')).toBe('svg')
  expect(previewKindOf('xml', '<note/>')).toBeNull()
  expect(['Python', 'constructor'].map(extensionOf)).toEqual(['py', 'txt'])
})
