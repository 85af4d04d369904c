import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BookType, CFB, utils, type WorkBook, write } from '@e965/xlsx'
import { afterAll, describe, expect, test } from 'vitest'
import { wordOf, writtenPaper, zipOf } from '../../../test/paper-files.ts'
import { sniffFile } from '../sniff/sniff.ts'
import { readCsv } from './kinds/csv.ts'
import { readEpub } from './kinds/epub.ts'
import { readHtml } from './kinds/html.ts'
import { readMail, readMailbox } from './kinds/mail.ts'
import { readOldSheets } from './kinds/old-sheets.ts'
import { readOldWord } from './kinds/old-word.ts'
import { readOpenDocument } from './kinds/open-document.ts'
import { readRtf } from './kinds/rtf.ts'
import { readSheets } from './kinds/sheets.ts'
import { readWord } from './kinds/word.ts'
import type { PaperFacts, PaperKind } from './paper-kind.ts'
import { createPaperWriter } from './paper-writer.ts'

// Files as programs other than LibreOffice write them.

const folder = mkdtempSync(join(tmpdir(), 'mira-other-programs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(kind: PaperKind, content: string | Buffer) {
  const filename = join(folder, 'file')
  writeFileSync(filename, content)
  const writer = createPaperWriter()
  await kind(filename, writer, () => undefined)
  const pages = writer.pages().map(({ text }) => text.split('\n').filter((line) => line !== ''))
  return {
    pages,
    lines: pages.flat(),
    pictures: writer.pictures(),
    attachments: writer.attachments(),
    isDamaged: writer.isDamaged(),
  }
}
const linesOf = async (kind: PaperKind, content: string | Buffer) => (await read(kind, content)).lines

describe('RTF', () => {
  test('of TextEdit ends its paragraphs with a backslash and a line end', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg1252\\cocoartf2761\n{\\fonttbl\\f0\\fswiss\\fcharset0 Helvetica;}\n\\pard\\tx566\n\n\\f0\\fs24 \\cf0 Buy figs\\\nand quinces\\\n\\\nfor K\\'e4the}"
    expect(await linesOf(readRtf, rtf)).toEqual(['Buy figs', 'and quinces', 'for Käthe'])
  })

  test('of Word in Japan has characters whose second byte is a letter, or on the next line', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg932{\\fonttbl{\\f0\\fnil\\fcharset128 MS Mincho;}}\\f0 \\'83\\'81\\'81[\\'83\\'8b\\'82\r\n\\'cc\\'83\\\\\\'83A\\par}"
    expect(await linesOf(readRtf, rtf)).toEqual(['メールのソア'])
  })
})

test.each([
  [
    'has a style in the middle of a group, as OpenOffice wrote it',
    '{\\loch\\f2\\*\\cs7\\cf0 The quick fox}\\par',
    ['The quick fox'],
  ],
  ['has cells without a row', '{Fax / Station\\cell Fax / Phone\\cell }', ['Fax / Station | Fax / Phone']],
  [
    'has tables in its tables',
    '\\intbl\\itap2 Figs\\nestcell Quinces\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables In short\\par}\\itap1 Fruit\\cell\\row',
    ['Figs Quinces; Fruit'],
  ],
  ['has words that objects have, too', '\\constructor Figs\\toString \\par', ['Figs']],
  ['has a bullet that nothing stands for', '{\\listtext\\u8226 \\tab}First\\par', ['First']],
  ['is followed by something else', 'Body\\par}\xef\x11\0{\\rtf1 more', ['Body']],
])('RTF that %s', async (_name, words, lines) => {
  expect(await linesOf(readRtf, Buffer.from(`{\\rtf1\\ansi ${words}}`, 'latin1'))).toEqual(lines)
})

describe('DOC', () => {
  /** The document with its streams changed. */
  const changed = (change: (document: Buffer) => void): Buffer => {
    const file = CFB.read(writtenPaper('table.doc'), { type: 'buffer' })
    const stream = CFB.find(file, '/WordDocument')
    const document = Buffer.from(stream?.content as Uint8Array)
    change(document)
    CFB.utils.cfb_add(file, '/WordDocument', document)
    return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
  }

  test('keeps words with a hyphen that may break or that never does', async () => {
    const doc = changed((document) => {
      const at = document.indexOf('paragraph')
      document[at + 4] = 0x1f
      document[document.indexOf('created') + 3] = 0x1e
    })
    const [first = ''] = await linesOf(readOldWord, doc)
    expect(first).toContain('contains a pararaph')
    expect(first).toContain('cre-ted')
  })

  /** Gives the first letters a property; all are in one run, whose formats are on a page of their own. */
  const formatted = (letters: number, property: string) =>
    changed((document) => {
      const start = document.indexOf('This is')
      const runs = document.findLastIndex(
        (_, at) =>
          at % 512 === 0 && document.readUInt32LE(at) === start && document[at + 511] === 1 && document[at + 8] === 0,
      )
      document.writeUInt32LE(start + letters, runs + 4)
      document[runs + 8] = 200
      document[runs + 400] = property.length / 2
      document.write(property, runs + 401, 'hex')
    })

  test('takes no letters that are spaced by an odd width for deleted ones', async () => {
    expect((await linesOf(readOldWord, formatted(50, '40880f00')))[0]).toMatch(/^This is a Word document/)
  })

  test.each([
    ['deleted', '000801'],
    ['deleted by a newer Word', '000881'],
    ['hidden', '3c0801'],
  ])('has no text that is %s', async (_name, property) => {
    expect((await linesOf(readOldWord, formatted(8, property)))[0]).toMatch(/^a Word document/)
  })

  test('shows symbols by their character', async () => {
    expect((await linesOf(readOldWord, formatted(1, '096a00001126')))[0]).toMatch(/^☑his is/)
  })
})

describe('DOCX', () => {
  test('of a web editor is a page saved as a mail', async () => {
    const mail =
      'MIME-Version: 1.0\nContent-Type: multipart/related;\n type="text/html";\n boundary="--=mhtDocumentPart"\n\n----=mhtDocumentPart\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\nContent-Location: file:///C:/fake/document.html\n\n<!DOCTYPE html><html><body><h1>Rezept</h1><p>Zwei Pf=C3=BCnde Quitten</p></body></html>\n\n----=mhtDocumentPart--\n'
    const docx = await zipOf({
      'word/document.xml': '<w:document><w:body><w:altChunk r:id="htmlChunk"/></w:body></w:document>',
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="/word/afchunk.mht" Id="htmlChunk"/></Relationships>',
      'word/afchunk.mht': mail,
    })
    expect(await linesOf(readWord, docx)).toEqual(['Rezept', 'Zwei Pfünde Quitten'])
  })

  test.each([
    ['page.mht', 'aFChunk', 11],
    ['a.xlsx', 'package', 21],
  ])('notes that %s in it is too large, and is read without it', async (name, type, megabytes) => {
    const docx = await zipOf({
      'word/document.xml': '<w:p><w:r><w:t>Figs</w:t></w:r></w:p>',
      'word/_rels/document.xml.rels': `<Relationships>${relation('a', type, name)}</Relationships>`,
      [`word/${name}`]: Buffer.alloc(megabytes * 1024 * 1024, 'page '),
    })
    expect(await read(readWord, docx)).toMatchObject({ lines: ['Figs'], attachments: [], isDamaged: true })
  })

  test('has words on both sides of an aligning tab', async () => {
    const docx = await wordOf('<w:p><w:r><w:t>Quarterly report</w:t><w:ptab/><w:t>March</w:t></w:r></w:p>')
    expect(await linesOf(readWord, docx)).toEqual(['Quarterly report\tMarch'])
  })
})

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`
/** An OLE object with one stream. */
const objectWith = (stream: string, content: Buffer): Buffer => {
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, `/${stream}`, content)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

test('documents inside documents are attached to them', async () => {
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
    'word/embeddings/d.bin': writtenPaper('table.doc'),
    'word/embeddings/e.bin': objectWith('Equation Native', Buffer.from('x')),
    'word/embeddings/f.bin': 'damaged',
    'word/embeddings/g.xlsb': 'PK',
  })
  const { attachments } = await read(readWord, docx)
  expect(attachments.map(({ name, format }) => [name, format])).toEqual([
    ['a.xlsx', 'xlsx'],
    ['b.pdf', 'pdf'],
    ['Offer.pdf', 'pdf'],
    ['d.doc', 'doc'],
    ['g.xlsb', 'xls'],
  ])
  expect(Buffer.from(attachments[2]?.content ?? [])).toEqual(pdf)
})

const workbookOf = (files: Record<string, string>) =>
  zipOf({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Sheet1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'sharedStrings', 'sharedStrings.xml')}${relation('r3', 'styles', 'styles.xml')}</Relationships>`,
    ...files,
  })

describe('XLSX', () => {
  test('of 1C names its texts in another case than it refers to them', async () => {
    const xlsx = await workbookOf({
      'xl/SharedStrings.xml': '<sst><si><t>Кабачки</t></si></sst>',
      'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'Кабачки'])
  })

  test('writes line ends and its own signs by their numbers', async () => {
    const xlsx = await workbookOf({
      'xl/sharedStrings.xml': '<sst><si><t>one_x000D_\ntwo</t></si><si><t>file_x005F_x0041_</t></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="inlineStr"><is><t>three_x000a_four</t></is></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'one two | file_x0041_ | three four'])
  })

  test('of Japan and China has formats of dates without a code', async () => {
    const cells = (...values: [style: number, value: number][]) =>
      values.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join('')
    const xlsx = await workbookOf({
      'xl/styles.xml':
        '<styleSheet><cellXfs><xf numFmtId="31"/><xf numFmtId="57"/><xf numFmtId="32"/><xf numFmtId="55"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row>${cells([0, 45170], [1, 45170], [2, 0.75], [3, 45170], [3, 0.75])}</row></sheetData></worksheet>`,
    })
    expect(await linesOf(readSheets, xlsx)).toEqual([
      'Sheet1',
      '2023-09-01 | 2023-09-01 | 18:00 | 2023-09-01 | 18:00:00',
    ])
  })

  test('of .NET says that it is in UTF-16, and is not', async () => {
    const xlsx = await workbookOf({
      'xl/worksheets/sheet1.xml':
        '<?xml version="1.0" encoding="utf-16"?><worksheet><sheetData><row><c t="inlineStr"><is><t>Kürbis</t></is></c></row></sheetData></worksheet>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'Kürbis'])
  })

  test('writes dates as such, and has sheets of another kind', async () => {
    const xlsx = await zipOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Dates" r:id="r1"/><sheet name="Plot" r:id="r2"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'chartsheet', 'chartsheets/sheet1.xml')}${relation('r3', 'styles', 'styles.xml')}</Relationships>`,
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c s="1" t="d"><v>2014-02-14T08:27:48.765Z</v></c></row></sheetData></worksheet>',
      'xl/chartsheets/sheet1.xml': '<chartsheet/>',
      'xl/chartsheets/_rels/sheet1.xml.rels': `<Relationships>${relation('r1', 'drawing', '../drawings/drawing1.xml')}</Relationships>`,
      'xl/drawings/drawing1.xml': '<xdr:wsDr><a:p><a:r><a:t>Rainfall</a:t></a:r></a:p></xdr:wsDr>',
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Dates', '2014-02-14', 'Plot', 'Rainfall'])
  })

  test('has series and categories in its charts', async () => {
    const chart =
      '<c:chartSpace><c:ser><c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:pt idx="0"><c:v>Harvest</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>Figs</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>17</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chartSpace>'
    const xlsx = await workbookOf({
      'xl/worksheets/sheet1.xml': '<worksheet/>',
      'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${relation('r1', 'drawing', '../drawings/drawing1.xml')}</Relationships>`,
      'xl/drawings/drawing1.xml': '<xdr:wsDr/>',
      'xl/drawings/_rels/drawing1.xml.rels': `<Relationships>${relation('r1', 'chart', '../charts/chart1.xml')}</Relationships>`,
      'xl/charts/chart1.xml': chart,
    })
    expect(await linesOf(readSheets, xlsx)).toEqual(['Sheet1', 'Harvest | Figs'])
  })
})

describe('a workbook that Excel writes in another format', () => {
  const workbook = (): WorkBook => {
    const cells = [['Figs', 17.5, true, { t: 'e', v: 42 }, { t: 'n', v: 45170, z: 'dd.mm.yyyy' }]]
    const book = utils.book_new(utils.aoa_to_sheet(cells), 'Costs')
    book.Props = { Title: 'Harvest', Author: 'Ada' }
    return book
  }
  const writtenAs = (bookType: BookType): Buffer => write(workbook(), { type: 'buffer', bookType })

  test.each(['xlsb', 'xlml', 'biff8'] as const)('%s', async (bookType) => {
    const content = writtenAs(bookType)
    let facts: PaperFacts = {}
    const { lines } = await read(async (filename, writer) => {
      await readOldSheets(filename, writer, (read) => (facts = read))
    }, content)
    expect(lines).toEqual(['Costs', 'Figs | 17.5 | TRUE | #N/A | 01.09.2023'])
    expect(facts).toMatchObject({ title: 'Harvest', author: 'Ada' })
  })

  test('is known as one', async () => {
    const filename = join(folder, 'known')
    const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'
    writeFileSync(filename, await zipOf({ '[content_types].xml': types }))
    expect(await sniffFile(filename)).toMatchObject({ format: 'xlsx' })
    const embedded =
      '<Types><Default Extension="xlsb" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.12"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>'
    writeFileSync(filename, await zipOf({ '[Content_Types].xml': embedded }))
    expect(await sniffFile(filename)).toMatchObject({ format: 'pptx' })
    writeFileSync(filename, writtenAs('xlsb'))
    expect(await sniffFile(filename)).toMatchObject({ format: 'xls' })
    writeFileSync(filename, writtenAs('xlml'))
    expect(await sniffFile(filename)).toMatchObject({ format: 'txt', text: 'workbook' })
  })

  test('is refused where it unpacks to far too much, in files of any name', async () => {
    const large = await zipOf({ 'xl/media/a.png': Buffer.alloc(65 * 1024 * 1024), 'xl/workbook.bin': 'x' })
    await expect(linesOf(readOldSheets, large)).rejects.toMatchObject({ code: 'too_large_document' })
  })

  test('names a language twice in XML', async () => {
    const xml = writtenAs('xlml').toString().replace('dd.mm.yyyy', '[ENG][$-409]d\\-mmm\\-yy;@')
    expect((await linesOf(readOldSheets, xml)).at(-1)).toMatch(/ 1-Sep-23$/)
  })
})

describe('OpenDocument', () => {
  test('of LibreOffice since 24.8 is locked as one file', async () => {
    const odt = await zipOf({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'encrypted-package': Buffer.alloc(100, 7),
      'META-INF/manifest.xml':
        '<manifest:manifest><manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
    })
    await expect(read(readOpenDocument('odt'), odt)).rejects.toMatchObject({ code: 'encrypted_document' })
  })

  test('has boxes on a sheet, and no earlier contents of its cells', async () => {
    const ods = await zipOf({
      'content.xml':
        '<office:document-content><office:body><office:spreadsheet><table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell><text:p>before</text:p></table:change-track-table-cell></table:previous></table:cell-content-change></table:tracked-changes><table:table table:name="Costs"><table:shapes><draw:frame><draw:text-box><text:p>Pay by Friday</text:p></draw:text-box></draw:frame></table:shapes><table:table-row><table:table-cell><text:p>Figs</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>',
    })
    expect(await linesOf(readOpenDocument('ods'), ods)).toEqual(['Costs', 'Pay by Friday', 'Figs'])
  })
})

test('EPUB of an older program has chapters of an older kind', async () => {
  const epub = await zipOf({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><manifest><item id="a" href="a.htm" media-type="text/x-oeb1-document"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.htm': '<html><body><p>Call me Ishmael.</p></body></html>',
  })
  expect(await linesOf(readEpub, epub)).toEqual(['Call me Ishmael.'])
})

describe('HTML', () => {
  test.each([
    [
      'of Office calls itself unicode',
      '<meta http-equiv=Content-Type content="text/html; charset=unicode"><p>Größe</p>',
    ],
    ['has a mark that its head contradicts', '\uFEFF<meta charset="iso-8859-1"><p>Größe</p>'],
  ])('%s', async (_name, page) => {
    expect(await linesOf(readHtml, page)).toEqual(['Größe'])
  })

  test('says UTF-8 and is not, or how it is written behind long scripts', async () => {
    const words = 'Größe und Maß stehen im Heft; die Äpfel wären süß'
    const page = Buffer.from(`<meta charset="utf-8"><p>${words}</p>`, 'latin1')
    expect(await linesOf(readHtml, page)).toEqual([words])
    const late = `<script>${'let a;'.repeat(1_000)}</script><meta charset="windows-1251"><p>`
    expect(await linesOf(readHtml, Buffer.concat([Buffer.from(late), Buffer.from('cff0e8e2e5f2', 'hex')]))).toEqual([
      'Привет',
    ])
  })

  test('has words of pictures and of centred lines apart', async () => {
    const page = '<center>One</center><center>Two</center><p><img alt="Blue"><img alt="Moon"> Hi<img alt="😀">!</p>'
    expect(await linesOf(readHtml, page)).toEqual(['One', 'Two', 'Blue Moon Hi😀!'])
  })
})

test.each([
  ['says how its cells are parted', 'sep=;\nname;price, net\nfigs;1,50\n', ['name | price, net', 'figs | 1,50']],
  [
    'has decimals with commas and commas in quotes',
    '1,50;"figs, dates, plums, and pears"\n2,50;"quinces, all"\n',
    ['1,50 | figs, dates, plums, and pears', '2,50 | quinces, all'],
  ],
])('CSV that %s', async (_name, table, lines) => {
  expect(await linesOf(readCsv, table)).toEqual(lines)
})

test('CSV that was cut inside a character, or has one byte of another encoding, is UTF-8', async () => {
  const table = Buffer.from('name,town\nKäthe,Köln\nJürgen,Güstrow\n')
  expect(await linesOf(readCsv, Buffer.concat([table, Buffer.from('M\xc3', 'latin1')]))).toContain('Jürgen | Güstrow')
  expect(await linesOf(readCsv, Buffer.concat([table, Buffer.from('Z\xfcrich,x\n', 'latin1')]))).toContain(
    'Käthe | Köln',
  )
  expect(await linesOf(readCsv, Buffer.from('K\xe4the,K\xf6ln\nJ\xfcrgen,G\xfcstrow\n', 'latin1'))).toContain(
    'Käthe | Köln',
  )
})

const head = 'From: a@example.org\nTo: b@example.org\n'
const attached = (name: string, content: string | Buffer, type = 'application/octet-stream') =>
  `--x\nContent-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content as string).toString('base64')}\n`
const mixed = (...parts: string[]) => `${head}Content-Type: multipart/mixed; boundary=x\n\n${parts.join('')}--x--\n`

describe('a mail', () => {
  test('is read in the encoding of its bytes when it states none', async () => {
    const body = 'Gr\xfc\xdfe aus G\xfcstrow, sch\xf6ne Tage an der M\xfcritz w\xfcnscht J\xfcrgen'
    for (const type of ['', 'Content-Type: text/plain\n']) {
      const mail = Buffer.from(`${head}${type}Subject: x\n\n${body}\n`, 'latin1')
      expect(await linesOf(readMail, mail)).toContain('Grüße aus Güstrow, schöne Tage an der Müritz wünscht Jürgen')
    }
  })

  const western = 'Gr\xfc\xdfe aus G\xfcstrow, sch\xf6ne Tage an der M\xfcritz w\xfcnscht J\xfcrgen'
  const encodings: [how: string, headers: string, body: string][] = [
    ['as its bytes', 'Content-Type: text/plain', western],
    ['without headers', '', western],
    [
      'in base64',
      'Content-Type: text/plain\nContent-Transfer-Encoding: base64',
      Buffer.from(western, 'latin1').toString('base64'),
    ],
    [
      'in quoted-printable',
      'Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable',
      western.replaceAll(/[^ -~]/g, (letter) => `=${letter.charCodeAt(0).toString(16)}`),
    ],
  ]
  test.each(encodings)('has parts that do not say their encoding, each in its own: %s', async (_how, headers, body) => {
    const parts = [
      `Content-Type: text/plain; charset=utf-8\n\nName: KÃ¤the`,
      `${headers}\n${headers && '\n'}${body}`,
      'Content-Type: text/html\n\n<meta charset="windows-1251"><p>\xc3\xf0\xf3\xf8\xe8</p>',
    ]
    const mail = `${head}Content-Type: multipart/mixed;\n boundary="a b"\n\nNot shown\n${parts.map((part) => `--a b\n${part}\n`).join('')}--a b--\n`
    for (const text of [mail, mail.replaceAll('\n', '\r\n')]) {
      const lines = await linesOf(readMail, Buffer.from(text, 'latin1'))
      expect(lines.join('\n')).toContain('Name: Käthe')
      expect(lines.join('\n')).toContain('Grüße aus Güstrow, schöne Tage an der Müritz wünscht Jürgen')
    }
  })

  test.each(['Für Käthe', 'Für Käthe.', 'Für Käthe..'])(
    'has parts in UTF-8, which the line behind them does not spoil: %s',
    async (words) => {
      const boundaries = ['===============8412934756120398==', 'a_b-c']
      const parts = [
        `Content-Transfer-Encoding: base64\n\n${Buffer.from(words).toString('base64')}`,
        `Content-Transfer-Encoding: quoted-printable\n\n-- \n${words.replace('ä', '=C3=A4').replace('ü', '=C3=BC')}`,
      ]
      for (const boundary of boundaries)
        for (const part of parts) {
          const once = `--${boundary}\nContent-Type: text/plain\n${part}\n`
          const mail = `${head}Content-Type: multipart/mixed; boundary="${boundary}"\n\n${once.repeat(2)}--${boundary}--\nVer\xf6ffentlicht\n`
          const lines = await linesOf(readMail, Buffer.from(mail, 'latin1'))
          expect(lines.filter((line) => line === words)).toHaveLength(2)
        }
    },
  )

  test('has a page in the encoding that the page declares', async () => {
    const page = 'Content-Type: text/html\n\n<meta charset="windows-1251"><p>\xc3\xf0\xf3\xf8\xe8</p>\n'
    expect(await linesOf(readMail, Buffer.from(mixed(`--x\n${page}`), 'latin1'))).toContain('Груши')
  })

  test('has attachments of many types', async () => {
    const russian = 'В субботу мы поехали на дачу, потому что погода была хорошая, и собирали яблоки до самого вечера.'
    const { lines, attachments } = await read(
      readMail,
      mixed(
        attached('letter.rtf', '{\\rtf1 figs}', 'text/rtf'),
        attached('old.xls', writtenPaper('dates.xls'), 'application/x-msexcel'),
        attached('macros.xlsm', 'PK', 'application/vnd.ms-excel.sheet.macroEnabled.12'),
        attached('sent.eml', `${head}Subject: Quinces\n\nRipe.\n`),
        attached('table.csv', 'Kürbis;3\n', 'application/vnd.ms-excel'),
        attached(
          'card.vcf',
          'BEGIN:VCARD\nVERSION:3.0\nN:Quibble;Ada\nFN:Ada Quibble\nTEL;TYPE=CELL:+43 1 23\nEND:VCARD\n',
          'text/x-vcard',
        ),
        attached(
          'cyrillic.txt',
          Buffer.from([...russian].map((letter) => letter.charCodeAt(0) - (letter < 'А' ? 0 : 0x350))),
          'text/plain',
        ),
      ),
    )
    expect(attachments.map(({ name, format }) => [name, format])).toEqual([
      ['letter.rtf', 'rtf'],
      ['old.xls', 'xls'],
      ['macros.xlsm', 'xlsx'],
    ])
    expect(lines).toEqual(
      expect.arrayContaining(['Quinces', 'Ripe.', 'Kürbis;3', 'Ada Quibble', 'Phone (mobile): +43 1 23']),
    )
    expect(lines).toContain(russian)
  })

  test('of Outlook names the time zone of an event by its towns', async () => {
    const event =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nBEGIN:VALARM\r\nDESCRIPTION:REMINDER\r\nEND:VALARM\r\nSUMMARY:Choir\r\nDTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Wien":20240305T190000\r\nEND:VEVENT\r\nEND:VCALENDAR'
    expect((await linesOf(readMail, mixed(attached('invite.ics', event)))).slice(-2)).toEqual([
      'Choir',
      '2024-03-05 19:00 (UTC+01:00) Amsterdam, Berlin, Wien',
    ])
  })

  test('has attachments of some megabytes, and those of a mailbox are small', async () => {
    const scan = (kilobytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(kilobytes * 1024, 7)])
    const part = (name: string, kilobytes: number) =>
      attached(name, scan(kilobytes)).replaceAll(/[A-Za-z0-9+/=]{76}/g, '$&\n')
    const mail = mixed(part('scan.pdf', 2_000), part('film.pdf', 9_000), part('small.pdf', 100))
    const { lines, attachments } = await read(readMail, mail)
    expect(lines).toContain('Attachments: scan.pdf, film.pdf, small.pdf')
    expect(attachments.map(({ name, content }) => [name, content.length])).toEqual([
      ['scan.pdf', scan(2_000).length],
      ['small.pdf', scan(100).length],
    ])
    const box = await read(readMailbox, `From x Mon Mar  4 10:00:00 2024\n${mail}`)
    expect(box.attachments.map(({ name }) => name)).toEqual(['small.pdf'])
  })

  test('that Thunderbird deleted is not read from its mailbox', async () => {
    const mail = (words: string, status: string) =>
      `From - Mon Mar  4 10:00:00 2024\nX-Mozilla-Status: ${status}\n${head}Subject: ${words}\n\nHello\n\n`
    const { pages } = await read(readMailbox, mail('figs', '0001') + mail('gone', '0009') + mail('quails', '1013'))
    expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
  })

  test('shares its logo with others of its mailbox', async () => {
    const logo = attached(
      'logo.png',
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500)]),
      'image/png',
    )
    const mail = `From x Mon Mar  4 10:00:00 2024\n${mixed(logo)}\n`
    expect((await read(readMailbox, mail.repeat(3))).pictures).toHaveLength(1)
  })
})
