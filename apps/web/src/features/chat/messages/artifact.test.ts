import { expect, test } from 'vitest'
import { csvOf, extensionOf, previewKindOf } from './artifact.ts'

test('CSV keeps the text of a table and escapes formulas', () => {
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

test('the language of code determines its preview and file extension', () => {
  expect(
    ['HTML', 'svg', 'mermaid', 'js', 'python', '', 'constructor'].map((language) => previewKindOf(language, '')),
  ).toEqual([...['html', 'svg', 'mermaid', 'script'], ...['python', null, null]])
  expect(previewKindOf('xml', '<?xml version="1.0"?>\n<svg width="1">')).toBe('svg')
  expect(previewKindOf('xml', '<note/>')).toBeNull()
  expect(['Python', 'constructor'].map(extensionOf)).toEqual(['py', 'txt'])
})
