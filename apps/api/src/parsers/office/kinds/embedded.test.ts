import { CFB } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { readOfficeFile, zipOf } from '../../../../test/document-files.ts'
import { parseDocument, relation } from '../../../../test/parse-document.ts'
import { readWord } from './word.ts'

/** An OLE object with one stream. */
const objectWith = (stream: string, content: Buffer): Buffer => {
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, `/${stream}`, content)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

test('documents embedded in a document become its attachments', async () => {
  const pdf = Buffer.from('%PDF-1.7 figs')
  const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
  const native = Buffer.concat([
    ...[number(99), Buffer.from('\x02\0Offer.pdf\0C:\\Offer.pdf\0\0\0\x03\0', 'latin1')],
    ...[number(5), Buffer.from('C:\\O\0'), number(pdf.length), pdf, Buffer.from('rest')],
  ])
  const names = ['a.xlsx', 'b.bin', 'c.bin', 'd.bin', 'e.bin', 'f.bin', 'g.xlsb']
  const docx = await zipOf({
    'word/document.xml': '<w:document/>',
    'word/_rels/document.xml.rels': `<Relationships>${names.map((name) => relation(name, name.endsWith('.bin') ? 'oleObject' : 'package', `embeddings/${name}`)).join('')}</Relationships>`,
    'word/embeddings/a.xlsx': 'PK',
    'word/embeddings/b.bin': objectWith('CONTENTS', pdf),
    'word/embeddings/c.bin': objectWith('\u0001Ole10Native', native),
    'word/embeddings/d.bin': readOfficeFile('table.doc'),
    'word/embeddings/e.bin': objectWith('Equation Native', Buffer.from('x')),
    'word/embeddings/f.bin': 'damaged',
    'word/embeddings/g.xlsb': 'PK',
  })
  const { attachments } = await parseDocument(readWord, docx)
  expect(attachments.map(({ name, format }) => [name, format])).toEqual([
    ['a.xlsx', 'xlsx'],
    ['b.pdf', 'pdf'],
    ['Offer.pdf', 'pdf'],
    ['d.doc', 'doc'],
    ['g.xlsb', 'xls'],
  ])
  expect(Buffer.from(attachments[2]?.content ?? [])).toEqual(pdf)
})
