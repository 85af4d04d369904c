import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentFormat } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  bookOf,
  mailOf,
  readOfficeFile,
  wordBomb,
  wordOf,
  wordWithMacros,
  zipOf,
} from '../../../test/document-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { createDocumentReader } from './document-reader.ts'
import type { DocumentReader, ReadPage } from './document-types.ts'

let folder: string
let documentReader: DocumentReader
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-papers-'))
  documentReader = createDocumentReader({ sandboxing: testSandboxing })
})
afterAll(async () => {
  await documentReader.close()
  rmSync(folder, { recursive: true, force: true })
})

const signal = new AbortController().signal
let count = 0

async function read(content: Buffer | string, format: DocumentFormat) {
  const filename = join(folder, `${count++}.${format}`)
  writeFileSync(filename, content)
  const { pages, ...info } = await documentReader.read({ filename, format }, { folder, signal })
  const all: ReadPage[] = []
  for await (const page of pages(signal)) all.push(page)
  return { info, pages: all }
}

const problem = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    ({ status, code, message }) => [status, code, message],
  )

const letter = [
  'Rental agreement',
  'The tenant of Straße 7 pays on the third of each month — also in août.',
  'Deposit',
  'Three months of rent',
  'Returned within thirty days',
  'Heating | 84 €',
  'Water | 21 €',
  'Signed at the harbour.',
]
const linesOf = ({ text }: { text: string }) =>
  text
    .split('\n')
    .map((line) => line.replace(/^• /, ''))
    .filter((line) => line !== '')

describe('a letter', () => {
  test.each(['docx', 'odt', 'rtf', 'html', 'epub'] as const)('has the same text as %s', async (format) => {
    const { info, pages } = await read(readOfficeFile(`letter.${format}`), format)
    expect(info).toMatchObject({ title: 'Rental agreement', author: 'Señora Núñez', isCut: false })
    expect(pages.map(linesOf)).toEqual([letter])
    expect(pages[0]?.blocks).toContainEqual({
      kind: 'rows',
      rows: [
        ['Heating', '84 €'],
        ['Water', '21 €'],
      ],
    })
  })

  test('has its date and its headings', async () => {
    for (const format of ['docx', 'odt'] as const) {
      const { info, pages } = await read(readOfficeFile(`letter.${format}`), format)
      expect(info.createdAt).toEqual(new Date('2024-05-06T07:08:09Z'))
      expect(pages[0]?.blocks.filter(({ kind }) => kind === 'heading')).toEqual([
        { kind: 'heading', level: 1, text: 'Rental agreement' },
        { kind: 'heading', level: 2, text: 'Deposit' },
      ])
    }
  })
})

test.each(['xlsx', 'ods'] as const)(
  'reads the sheets of a workbook as %s, with their cells as shown',
  async (format) => {
    const { info, pages } = await read(readOfficeFile(`household.${format}`), format)
    expect(info).toMatchObject({ title: 'Household 2025', titles: ['Income', 'Budget'] })
    expect(pages.map(({ number, title, text }) => [number, title, text])).toEqual([
      [1, 'Income', 'Income\n\nSource | Amount\nSalary | 3200'],
      [2, 'Budget', 'Budget\n\nItem | Amount | Due | Share\nKindergarten | 412.5 | 2025-03-09 | 25%\nSum | 825'],
    ])
  },
)

test('reads a workbook with any namespace prefixes', async () => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const relation = (type: string, target: string) =>
    `<Relationships><Relationship Id="R1" Type="${office}/${type}" Target="${target}"/></Relationships>`
  const workbook = await zipOf({
    '_rels/.rels': relation('officeDocument', '/xl/workbook.xml'),
    'xl/_rels/workbook.xml.rels': relation('worksheet', '/xl/worksheets/sheet.xml'),
    'xl/workbook.xml': `<x:workbook xmlns:x="${main}"><x:sheets>
      <x:sheet name="Rates" sheetId="1" d3p1:id="R1" xmlns:d3p1="${office}"/></x:sheets></x:workbook>`,
    'xl/worksheets/sheet.xml': `<x:worksheet xmlns:x="${main}"><x:sheetData><x:row>
      <x:c t="inlineStr"><x:is><x:t>Ferry</x:t></x:is></x:c><x:c><x:v>12.5</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
  })
  const { pages } = await read(workbook, 'xlsx')
  expect(pages.map(({ title, text }) => [title, text])).toEqual([['Rates', 'Rates\n\nFerry | 12.5']])
})

test('reads a letter without prefixes, and no text of another namespace', async () => {
  const body = `<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><r><t>The harbour</t></r></p>
    <p><r><math xmlns="urn:other"><t>not this</t></math><t>is closed.</t></r></p></body></document>`
  expect((await read(await wordOf(body), 'docx')).pages[0]?.text).toBe('The harbour\n\nis closed.')
})

test.each(['pptx', 'odp'] as const)('reads the slides of a talk as %s, with their notes', async (format) => {
  const { info, pages } = await read(readOfficeFile(`talk.${format}`), format)
  expect(info.titles).toEqual(['Solar roofs', 'Costs'])
  expect(pages.map(linesOf)).toEqual([
    ['Solar roofs', 'Why the village wants them'],
    ['Costs', 'Nineteen thousand euros for the school', 'Mention the subsidy'],
  ])
})

test('reads the chapters of a book without the output of scripts', async () => {
  const book = await bookOf([
    { title: 'The storm', text: 'The lamp went out at four.' },
    { title: 'The morning after', text: 'Bread &amp; fish.' },
  ])
  const { info, pages } = await read(book, 'epub')
  expect(info).toMatchObject({ title: 'The lighthouse', author: 'A. Keeper', createdAt: new Date('1999-08-07') })
  expect(pages.map(({ title, text }) => [title, text])).toEqual([
    ['The storm', 'The storm\n\nThe lamp went out at four.'],
    ['The morning after', 'The morning after\n\nBread & fish.'],
  ])
})

test('reads the text of a page in order, without navigation, scripts and styles', async () => {
  const page = `<!doctype html><meta charset="iso-8859-1"><title>Bread</title><style>p{color:red}</style>
    <nav>Home</nav><main><h1>Bread</h1><p>Knead <b>the</b>\n dough &mdash; caf\xe9.<script>alert("no")</script></p>
    <ul><li>Flour<li>Water</ul><pre>a\n  b</pre><iframe src="http://169.254.169.254/"></iframe></main>`
  const { info, pages } = await read(Buffer.from(page, 'latin1'), 'html')
  expect(info.title).toBe('Bread')
  expect(pages[0]?.text).toBe('Bread\n\nKnead the dough — café.\n\n• Flour\n• Water\na\n  b')
})

test('reads a letter in RTF in the alphabets of its fonts', async () => {
  const letter = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Calibri;}{\f1\fnil\fcharset204 Calibri;}
    {\f2\fnil\fcharset128 MS Mincho;}}\pard\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0 , caf\'e9 {\f2\'93\'fa\'96\'7b}!\par}`
  expect((await read(letter, 'rtf')).pages[0]?.text).toBe('Привет, café 日本!')
})

test('detects the encoding of a page that doesn’t declare it', async () => {
  const sentence = 'Grüße aus dem Süden: die Fähre nach Köln fährt täglich außer Dienstag.'
  for (const encoding of ['latin1', 'utf8'] as const) {
    const { pages } = await read(Buffer.from(`<html><body><p>${sentence}</p></body></html>`, encoding), 'html')
    expect(pages[0]?.text).toBe(sentence)
  }
})

test.each([',', ';', '\t'])('reads the cells of a table separated by “%s”', async (sign) => {
  const lines = [
    ['Name', 'Born'],
    ['"Ana\nNúñez"', '1980'],
    ['Bo', ''],
  ]
  const { pages } = await read(lines.map((cells) => cells.join(sign)).join('\r\n'), 'csv')
  expect(pages[0]?.blocks).toEqual([{ kind: 'rows', rows: [['Name', 'Born'], ['Ana Núñez', '1980'], ['Bo']] }])
})

describe('mail', () => {
  const mail = { subject: 'The boiler – again', text: 'It drips since Tuesday, señor.' }

  test('has its sender, recipients, date and text', async () => {
    const { info, pages } = await read(mailOf({ ...mail, attachments: 1 }), 'eml')
    const createdAt = new Date('2025-03-04T09:02:00Z')
    expect(info).toMatchObject({ title: mail.subject, author: 'Ana Núñez <ana@example.org>', createdAt })
    expect(pages.map(linesOf)).toEqual([
      [
        mail.subject,
        'From: Ana Núñez <ana@example.org>',
        'To: Bo, the plumber <bo@example.net>',
        'Date: 2025-03-04T09:02:00.000Z',
        'Attachments: bill-1.pdf',
        mail.text,
      ],
    ])
  })

  test('is read with a thousand attachments, and with large ones', async () => {
    const { pages } = await read(mailOf({ ...mail, attachments: 1_000 }), 'eml')
    expect(pages[0]?.text).toContain('bill-30.pdf … (+')
    expect(pages[0]?.text).toContain(mail.text)
    const heavy = await read(mailOf({ ...mail, attachments: 2, kilobytes: 1_500 }), 'eml')
    expect(heavy.pages[0]?.text).toContain('bill-1.pdf, bill-2.pdf')
  })

  test('includes the text of attached mails, texts and pages', async () => {
    const attached = (type: string, name: string, content: string) =>
      `--one\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${content}\r\n`
    const forwarded = [
      'From: bo@example.net\r\nSubject: Fwd\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="one"\r\n\r\n',
      '--one\r\n\r\nSee below.\r\n',
      attached(
        'message/rfc822',
        'first.eml',
        'From: ana@example.org\r\nSubject: Boiler\r\n\r\nThe valve costs 412 euros.',
      ),
      attached('text/plain; charset=iso-8859-1', 'notes.txt', 'Gr\xfc\xdfe aus dem Keller'),
      attached('text/html', 'page.html', '<p>Two <b>screws</b><script>no()</script>'),
      '--one--',
    ].join('')
    const { pages } = await read(Buffer.from(forwarded, 'latin1'), 'eml')
    expect(pages.flatMap(linesOf)).toEqual([
      ...['Fwd', 'From: bo@example.net', 'Attachments: first.eml, notes.txt, page.html', 'See below.'],
      ...['Boiler', 'From: ana@example.org', 'The valve costs 412 euros.'],
      ...['notes.txt', 'Grüße aus dem Keller', 'page.html', 'Two screws'],
    ])
  })

  test('of a mailbox is read one by one', async () => {
    const first = mailOf(mail)
    const second = mailOf({ subject: 'Roof', text: 'see below' }).replace('see below', '>From the roof to the cellar')
    const box = [first, second]
      .map((mailText) => `From ana@example.org Tue Mar  4 10:02:00 2025\r\n${mailText}\r\n`)
      .join('')
    const { info, pages } = await read(box, 'mbox')
    expect(info.titles).toEqual([mail.subject, 'Roof'])
    expect(linesOf(pages[1] ?? { text: '' }).at(-1)).toBe('From the roof to the cellar')
  })
})

test('ignores macros', async () => {
  const document = await wordWithMacros(
    '<w:document><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>',
  )
  expect((await read(document, 'docx')).pages[0]?.text).toBe('Hello')
})

test('truncates a document that is far too long', async () => {
  const paragraph = `<w:p><w:r><w:t>${'many words '.repeat(1_000)}</w:t></w:r></w:p>`
  const { info, pages } = await read(await wordOf(`<w:document>${paragraph.repeat(500)}</w:document>`), 'docx')
  expect(info.isCut).toBe(true)
  expect(pages[0]?.text.length).toBeGreaterThan(4_000_000)
})

describe('images in', () => {
  const [one, other] = [Buffer.alloc(600, 'one picture '), Buffer.alloc(700, 'another ')]
  const relations = (...targets: string[]) =>
    `<Relationships>${targets.map((target, index) => `<Relationship Id="r${index + 1}" Target="${target}" Type="x/${/png|jpeg/.test(target) ? 'image' : /drawing/.test(target) ? 'drawing' : /sheet/.test(target) ? 'worksheet' : 'slide'}"/>`).join('')}</Relationships>`
  const blip = '<a:blip r:embed="r1"/>'

  const inLines = (content: Buffer) => content.toString('hex').replaceAll(/.{64}/g, '$&\r\n')

  const documentsWithPictures: Record<
    string,
    [format: DocumentFormat, content: Promise<Buffer> | string, pages: number[]]
  > = {
    'a letter (each once, without linked ones)': [
      'docx',
      zipOf({
        'word/document.xml': `<w:document><w:p><w:t>Hello</w:t>${blip}${blip}<a:blip r:embed="r2"/><a:blip r:link="r3"/></w:p></w:document>`,
        'word/_rels/document.xml.rels': relations('media/a.png', 'media/b.jpeg', 'media/c.emf'),
        'word/media/a.png': one,
        'word/media/b.jpeg': other,
      }),
      [1, 1],
    ],
    slides: [
      'pptx',
      zipOf({
        'ppt/presentation.xml': '<p:sldId r:id="r1"/><p:sldId r:id="r2"/>',
        'ppt/_rels/presentation.xml.rels': relations('slides/slide1.xml', 'slides/slide2.xml'),
        'ppt/slides/slide1.xml': '<p:sp><a:p><a:t>First</a:t></a:p></p:sp>',
        'ppt/slides/slide2.xml': `<p:pic>${blip}</p:pic>`,
        'ppt/slides/_rels/slide2.xml.rels': relations('../media/a.png'),
        'ppt/media/a.png': one,
      }),
      [2],
    ],
    'a workbook': [
      'xlsx',
      zipOf({
        'xl/workbook.xml': '<sheet name="A" r:id="r1"/><sheet name="B" r:id="r2"/>',
        'xl/_rels/workbook.xml.rels': relations('sheets/sheet1.xml', 'sheets/sheet2.xml'),
        'xl/sheets/sheet1.xml': '<worksheet/>',
        'xl/sheets/sheet2.xml': '<worksheet/>',
        'xl/sheets/_rels/sheet2.xml.rels': relations('../drawings/drawing1.xml'),
        'xl/drawings/_rels/drawing1.xml.rels': relations('../media/a.png'),
        'xl/media/a.png': one,
      }),
      [2],
    ],
    'a LibreOffice presentation': [
      'odp',
      zipOf({
        mimetype: 'application/vnd.oasis.opendocument.presentation',
        'content.xml': '<draw:page/><draw:page><draw:image xlink:href="Pictures/a.png"/></draw:page>',
        'Pictures/a.png': one,
      }),
      [2],
    ],
    'a letter in RTF (without Windows metafiles)': [
      'rtf',
      `{\\rtf1 Hello{\\*\\shppict{\\pict{\\*\\picprop{\\sp{\\sn pib}{\\sv beef}}}\\pngblip\\picw9 ${inLines(one)}}}{\\nonshppict{\\pict\\wmetafile8 ${inLines(other)}}}\\par}`,
      [1],
    ],
    'a page (only embedded ones)': [
      'html',
      `<p>Hello</p><img src="https://example.com/a.png"><img src="data:image/png;base64,${one.toString('base64')}">`,
      [1],
    ],
    'a mail (including attachments)': [
      'eml',
      ['Content-Type: image/png; name="a.png"', 'Content-Transfer-Encoding: base64', '', one.toString('base64')].join(
        '\r\n',
      ),
      [1],
    ],
  }

  test.each(Object.entries(documentsWithPictures))(
    '%s are returned with the number of their part',
    async (_name, [format, content, partNumbers]) => {
      const filename = join(folder, `${count++}.${format}`)
      writeFileSync(filename, await content)
      const { pictures } = await documentReader.read({ filename, format, maxPictures: 10 }, { folder, signal })
      expect(pictures.map(({ page }) => page)).toEqual(partNumbers)
      expect(pictures.map((picture) => readFileSync(picture.filename))).toEqual(
        [one, other].slice(0, partNumbers.length),
      )
    },
  )

  test('a page are no more than wanted, and all are counted', async () => {
    const filename = join(folder, `${count++}.html`)
    const images = Array.from({ length: 5 }, (_, index) => {
      const picture = Buffer.concat([one, Buffer.from([index])])
      return `<img src="data:image/png;base64,${picture.toString('base64')}">`.repeat(2)
    })
    writeFileSync(filename, images.join(''))
    const paper = await documentReader.read({ filename, format: 'html', maxPictures: 2 }, { folder, signal })
    expect([paper.pictures.length, paper.picturesFound]).toEqual([2, 5])
    expect((await documentReader.read({ filename, format: 'html' }, { folder, signal })).pictures).toEqual([])
  })
})

describe('an unreadable document', () => {
  const damaged = [422, 'damaged_document', 'This document is damaged: it can’t be read.']

  test('is damaged when it ends early or is something else', async () => {
    const original = readOfficeFile('letter.docx')
    expect(await problem(read(original.subarray(0, original.length / 2), 'docx'))).toEqual(damaged)
    expect(await problem(read('Hello', 'pptx'))).toEqual(damaged)
    expect(await problem(read(await zipOf({ 'a.txt': 'Hello' }), 'epub'))).toEqual(damaged)
    expect(await problem(read('Hello', 'rtf'))).toEqual(damaged)
  })

  test('is locked with a password', async () => {
    const manifest = '<manifest:manifest><manifest:encryption-data/></manifest:manifest>'
    const files = { mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': 'x' }
    const locked = await zipOf({ ...files, 'META-INF/manifest.xml': manifest })
    expect(await problem(read(locked, 'odt'))).toEqual([
      422,
      'encrypted_document',
      'This document is password-protected. Save a copy without a password and upload that.',
    ])
  })

  test('is refused when it unpacks to far too much', async () => {
    const refusal = [422, 'too_large_document', 'This document is too large to read once it’s unpacked.']
    for (const megabytes of [4_000, 240]) expect(await problem(read(wordBomb(megabytes), 'docx'))).toEqual(refusal)
  })

  test('is damaged when nested too deeply, and its entities aren’t expanded', async () => {
    expect(await problem(read(await wordOf('<a>'.repeat(100_000)), 'docx'))).toEqual(damaged)
    expect(await problem(read(`{\\rtf1 ${'{'.repeat(100_000)}`, 'rtf'))).toEqual(damaged)
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><w:document><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:document>`
    expect((await read(await wordOf(laughs), 'docx')).pages[0]?.text).toBe('&b;')
  })

  test('doesn’t affect the next one', async () => {
    expect((await read(readOfficeFile('letter.docx'), 'docx')).pages).toHaveLength(1)
  })
})
