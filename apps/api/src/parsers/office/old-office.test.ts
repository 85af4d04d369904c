import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import type { DocumentFormat } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../test/chance.ts'
import { mailWith, readOfficeFile, visioDrawing } from '../../../test/document-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { sniffFile } from '../sniff/sniff.ts'
import { createDocumentReader } from './document-reader.ts'
import type { DocumentReader } from './document-types.ts'

let folder: string
let documentReader: DocumentReader
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-old-office-'))
  documentReader = createDocumentReader({ sandboxing: testSandboxing })
})
afterAll(async () => {
  await documentReader.close()
  rmSync(folder, { recursive: true, force: true })
})

const signal = new AbortController().signal

async function read(content: Buffer, format: DocumentFormat) {
  const filename = join(folder, `paper.${format}`)
  writeFileSync(filename, content)
  const { pages, ...info } = await documentReader.read({ filename, format }, { folder, signal })
  const texts: string[] = []
  for await (const page of pages(signal)) texts.push(page.text)
  return { info, texts }
}

async function sniffed(content: Buffer) {
  const filename = join(folder, 'file')
  writeFileSync(filename, content)
  return sniffFile(filename)
}

describe('a document of Office before 2007', () => {
  const all: [string, DocumentFormat, string[]][] = [
    ['word6.doc', 'doc', ['The quick brown fox jumps over the lazy dog']],
    [
      'table.doc',
      'doc',
      [
        'This is a Word document that was created using Word 97 – SR2.  It contains a paragraph, a table consisting of 2 rows and 3 columns and a final paragraph.\n\nCell 1,1 | Cell 1,2 | Cell 1,3\nCell 2,1 | Cell 2,2 | Cell 2,3\nThis text is below the table.',
      ],
    ],
    [
      'comments.xls',
      'xls',
      [
        'Sheet1\n\nrow1\nrow3 | row3\nrow4\nA1: comment top row1 (index0)\n\nA3: comment top row3 (index2)\n\nA4: comment top row4 (index3)',
        'Sheet2',
        'Sheet3',
      ],
    ],
    [
      'dates.xls',
      'xls',
      [
        'Sheet1\n\nUS date | 10-Aug-07\nUS date | 8/10/07\nUK date | 2007-08-10\nUK date | 2007-08-10\nUK date | 10/08/07',
        'Sheet2',
        'Sheet3',
      ],
    ],
    [
      'comments.ppt',
      'ppt',
      ['Test Slide\n\n• With a comment on it\nThis is a test comment\n\nIt is on the first, only slide'],
    ],
    ['boxes.ppt', 'ppt', ['Hello, World!!!\n\nI am just a poor boy\n\nThis is Times New Roman\n\nPlain Text']],
  ]
  test.each(all)('%s is detected by content and read', async (name, format, expected) => {
    const content = readOfficeFile(name)
    expect(await sniffed(content)).toMatchObject({ mediaType: 'document', format })
    expect((await read(content, format)).texts).toEqual(expected)
  })

  test('shows numbers as its cells do', async () => {
    const { texts } = await read(readOfficeFile('excel95.xls'), 'xls')
    expect(texts[0]).toContain('5 | 25 | 1,125\n6 | 36 | 1,620\n')
    expect(texts[0]).toContain('\n13 | 169 | $169.00\n')
  })

  test('has its title, author and date', async () => {
    const { info } = await read(readOfficeFile('word6.doc'), 'doc')
    expect(info).toMatchObject({
      title: 'The quick brown fox jumps over the lazy dog',
      author: 'Nevin Nollop',
      createdAt: new Date('2005-05-26T12:57:00.000Z'),
    })
  })

  test.each(['locked.doc', 'locked.xls', 'locked.ppt'])('%s is reported as locked', async (name) => {
    const format = name.slice(-3) as DocumentFormat
    await expect(read(readOfficeFile(name), format)).rejects.toMatchObject({ code: 'encrypted_document' })
  })

  test('is read or refused when damaged, and the next one is read', async () => {
    const chance = createRandom(7)
    for (const name of ['word6.doc', 'table.doc', 'comments.xls', 'excel95.xls', 'comments.ppt', 'cyrillic.msg']) {
      const format = name.slice(-3) as DocumentFormat
      for (let round = 0; round < 6; round++) {
        const broken = Buffer.from(readOfficeFile(name))
        for (let n = 0; n < 40; n++) broken[Math.floor(chance() * broken.length)] = Math.floor(chance() * 256)
        const input = round % 2 === 0 ? broken : broken.subarray(0, Math.floor(chance() * broken.length))
        const code = await read(input, format).then(
          () => 'read',
          (error: { code?: string }) => error.code,
        )
        expect(['read', 'damaged_document', 'encrypted_document']).toContain(code)
      }
      expect((await read(readOfficeFile(name), format)).texts.join('')).not.toBe('')
    }
  })
})

test('reads a workbook of a hundred thousand cells within the reader’s memory limit', async () => {
  const cells = Array.from({ length: 10_000 }, (_, row) =>
    Array.from({ length: 10 }, (_, column) => `${row} ${column}`),
  )
  const book = utils.book_new(utils.aoa_to_sheet(cells))
  const { texts } = await read(write(book, { type: 'buffer', bookType: 'biff8' }), 'xls')
  expect(texts[0]).toContain('9999 8 | 9999 9')
})

test('reads a mail saved by Outlook with its sender, in its original script', async () => {
  const content = readOfficeFile('cyrillic.msg')
  expect(await sniffed(content)).toMatchObject({ mediaType: 'document', format: 'msg' })
  const { info, texts } = await read(content, 'msg')
  expect(info.title).toBe('Автоматический ответ подсистемы обмена данными ФГУП "Почта России".')
  expect(texts[0]).toContain('From: no-reply@niips.ru\nTo: Свиридов Дмитрий Владимирович <sviridov@niips.ru>')
})

test('reads the fields of an Outlook appointment and contact', async () => {
  const linesOf = async (name: string) => (await read(readOfficeFile(name), 'msg')).texts.join('\n').split('\n')
  expect((await linesOf('appointment.msg')).slice(-2)).toEqual([
    '2017-02-28 18:30 – 2017-02-28 19:00 UTC',
    'under lazy dog',
  ])
  expect(await linesOf('contact.msg')).toEqual(
    expect.arrayContaining([
      'Fence Co',
      'Phone: (456) 789-0123',
      'Mail: quickbrown@gmail.com',
      'Address: 12 Lazy Dog Lane, Springfield  01234',
    ]),
  )
})

test('returns older documents and Outlook mails attached to a mail', async () => {
  const names = ['table.doc', 'dates.xls', 'boxes.ppt', 'cyrillic.msg']
  const attached = names.map((name) => ({ name, type: 'application/octet-stream', content: readOfficeFile(name) }))
  const filename = join(folder, 'mail.eml')
  writeFileSync(filename, mailWith({ subject: 'Old papers', text: 'All of them.' }, attached))
  const { attachments } = await documentReader.read({ filename, format: 'eml', maxAttachments: 9 }, { folder, signal })
  expect(attachments.map(({ name, format }) => [name, format])).toEqual(names.map((name) => [name, name.slice(-3)]))
})

test('doesn’t recognise other OLE files', async () => {
  expect(await sniffed(visioDrawing())).toEqual({ mediaType: null, kind: null })
})
