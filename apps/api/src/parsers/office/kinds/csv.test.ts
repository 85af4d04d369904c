import { expect, test } from 'vitest'
import { linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { readCsv } from './csv.ts'

test('an unclosed quote loses no row of a table', async () => {
  const { lines } = await parseDocument(readCsv, 'id,text\n1,"a, b"\n2,12" pipe\n3,c\n4,"never closed\n')
  expect(lines).toEqual(['id | text', '1 | a, b', '2 | 12" pipe', '3 | c', '4 | "never closed'])
})

test.each([
  ['declares its separator', 'sep=;\nname;price, net\nfigs;1,50\n', ['name | price, net', 'figs | 1,50']],
  [
    'has decimals with commas and commas in quotes',
    '1,50;"figs, dates, plums, and pears"\n2,50;"quinces, all"\n',
    ['1,50 | figs, dates, plums, and pears', '2,50 | quinces, all'],
  ],
])('CSV that %s', async (_name, table, lines) => {
  expect(await linesOf(readCsv, table)).toEqual(lines)
})

test('CSV cut inside a character or with one stray byte is read as UTF-8, any other as Latin-1', async () => {
  const table = Buffer.from('name,town\nKäthe,Köln\nJürgen,Güstrow\n')
  expect(await linesOf(readCsv, Buffer.concat([table, Buffer.from('M\xc3', 'latin1')]))).toContain('Jürgen | Güstrow')
  expect(await linesOf(readCsv, Buffer.concat([table, Buffer.from('Z\xfcrich,x\n', 'latin1')]))).toContain(
    'Käthe | Köln',
  )
  expect(await linesOf(readCsv, Buffer.from('K\xe4the,K\xf6ln\nJ\xfcrgen,G\xfcstrow\n', 'latin1'))).toContain(
    'Käthe | Köln',
  )
})

test('the words of all columns of a wide table are kept', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `column${index}`)
  const { lines } = await parseDocument(readCsv, `${names.join(',')}\n`)
  expect(lines).toEqual([names.join(' | ')])
})
