import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentFormat } from '@mira/shared'
import { afterAll, describe, expect, test } from 'vitest'
import { zipOf } from '../../../test/document-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { createDocumentReader } from './document-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-beside-'))
const documentReader = createDocumentReader({ sandboxing: testSandboxing })
afterAll(async () => {
  await documentReader.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Lines of each part of a document with these files. */
async function linesIn(format: DocumentFormat, files: Record<string, string>): Promise<string[][]> {
  const filename = join(folder, format)
  writeFileSync(filename, await zipOf(files))
  const { signal } = new AbortController()
  const { pages } = await documentReader.read({ filename, format }, { folder, signal })
  const lines: string[][] = []
  for await (const { text } of pages(signal)) lines.push(text.split('\n').filter((line) => line !== ''))
  return lines
}

describe('reads the text outside the body', () => {
  const relations = (...targets: [type: string, target: string][]) =>
    `<Relationships>${targets.map(([type, target], index) => `<Relationship Id="r${index + 1}" Target="${target}" Type="x/${type}"/>`).join('')}</Relationships>`
  const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
  const drawnParagraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`

  test('of a letter: headers (without repetitions), footer, drawings and comments', async () => {
    const pages = await linesIn('docx', {
      'word/document.xml': paragraph('Dear Ana'),
      'word/_rels/document.xml.rels': relations(
        ['comments', 'comments.xml'],
        ['footer', 'footer1.xml'],
        ['header', 'header1.xml'],
        ['header', 'header2.xml'],
        ['diagramData', 'diagrams/data1.xml'],
      ),
      'word/header1.xml': paragraph('Harbour Office'),
      'word/header2.xml': paragraph('Harbour Office') + paragraph('Left page'),
      'word/footer1.xml': paragraph('Account 4711'),
      'word/comments.xml': `<w:comment>${paragraph('Is this her name?')}</w:comment>`,
      'word/diagrams/data1.xml': `<dgm:t>${drawnParagraph('First the mast')}</dgm:t>`,
    })
    expect(pages.flat()).toEqual([
      ...['Harbour Office', 'Left page', 'Dear Ana', 'First the mast', 'Account 4711', 'Is this her name?'],
    ])
  })

  test('of a LibreOffice letter: header (once) and footer', async () => {
    const element = (name: string, text: string) =>
      `<style:${name}><text:p>${text}<text:page-number>3</text:page-number></text:p></style:${name}>`
    const pages = await linesIn('odt', {
      mimetype: 'application/vnd.oasis.opendocument.text',
      'styles.xml': `<office:document-styles><office:styles><style:header-style/><text:p>no</text:p></office:styles><office:master-styles>
        ${element('header', 'Harbour Office')}${element('header-left', 'Harbour Office')}${element('footer', 'Account 4711')}</office:master-styles></office:document-styles>`,
      'content.xml': '<office:text><text:p>Dear Ana</text:p></office:text>',
    })
    expect(pages.flat()).toEqual(['Harbour Office', 'Dear Ana', 'Account 4711'])
  })

  test('of a sheet: comments, text boxes and chart titles', async () => {
    const pages = await linesIn('xlsx', {
      'xl/workbook.xml': '<sheet name="Income" r:id="r1"/><sheet name="Costs" r:id="r2"/>',
      'xl/_rels/workbook.xml.rels': relations(['worksheet', 'sheets/sheet1.xml'], ['worksheet', 'sheets/sheet2.xml']),
      'xl/sheets/sheet1.xml': '<worksheet/>',
      'xl/sheets/sheet2.xml': '<worksheet/>',
      'xl/sheets/_rels/sheet2.xml.rels': relations(
        ['comments', '../comments1.xml'],
        ['drawing', '../drawings/drawing1.xml'],
      ),
      'xl/comments1.xml': '<comment ref="B7"><text><r><t>Ask the </t></r><r><t>plumber</t></r></text></comment>',
      'xl/drawings/drawing1.xml': `<xdr:txBody>${drawnParagraph('All in euros')}</xdr:txBody>`,
      'xl/drawings/_rels/drawing1.xml.rels': relations(['chart', '../charts/chart1.xml']),
      'xl/charts/chart1.xml': `<c:title>${drawnParagraph('Rent by year')}</c:title>`,
    })
    expect(pages).toEqual([['Income'], ['Costs', 'B7: Ask the plumber', 'All in euros', 'Rent by year']])
  })

  test('of a slide: SmartArt', async () => {
    const pages = await linesIn('pptx', {
      'ppt/presentation.xml': '<p:sldId r:id="r1"/>',
      'ppt/_rels/presentation.xml.rels': relations(['slide', 'slides/slide1.xml']),
      'ppt/slides/slide1.xml': `<p:sp>${drawnParagraph('Plan')}</p:sp>`,
      'ppt/slides/_rels/slide1.xml.rels': relations(['diagramData', '../diagrams/data1.xml']),
      'ppt/diagrams/data1.xml': drawnParagraph('Raise the sail'),
    })
    expect(pages).toEqual([['Plan', 'Raise the sail']])
  })
})

describe('a book', () => {
  const book = (order: string[], more: Record<string, string> = {}) => ({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf': `<package><manifest>${order.map((name) => `<item id="${name}" href="${name}" media-type="application/xhtml+xml"/>`).join('')}</manifest>
      <spine>${order.map((name) => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
    ...more,
  })

  test.each(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])(
    'with only its fonts encrypted by %s is read',
    async (algorithm) => {
      const encryption = `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData></encryption>`
      const files = { 'META-INF/encryption.xml': encryption, 'a.xhtml': '<p>The lamp went out.</p>' }
      expect(await linesIn('epub', book(['a.xhtml'], files))).toEqual([['The lamp went out.']])
    },
  )

  test('of drawn pages has a part for each, with its image', async () => {
    const page = (name: string) => `<body><img src="${name}.png" alt=""/></body>`
    const files = { 'a.xhtml': page('a'), 'b.xhtml': page('b'), 'a.png': 'a'.repeat(500), 'b.png': 'b'.repeat(500) }
    const filename = join(folder, 'comic.epub')
    writeFileSync(filename, await zipOf(book(['a.xhtml', 'b.xhtml'], files)))
    const { signal } = new AbortController()
    const comic = await documentReader.read({ filename, format: 'epub', maxPictures: 10 }, { folder, signal })
    expect([comic.titles.length, comic.pictures.map(({ page }) => page)]).toEqual([2, [1, 2]])
  })
})

test('reads RTF around an image that is too large, within its memory limit', async () => {
  const digits = `${'89504e47'.repeat(8)}\n`.repeat(900_000)
  const filename = join(folder, 'heavy.rtf')
  writeFileSync(filename, `{\\rtf1 Before\\par{\\pict\\pngblip ${digits}}After\\par}`)
  const { signal } = new AbortController()
  const { pages, pictures } = await documentReader.read({ filename, format: 'rtf', maxPictures: 1 }, { folder, signal })
  const texts: string[] = []
  for await (const { text } of pages(signal)) texts.push(text)
  expect({ texts, pictures }).toEqual({ texts: ['Before\n\nAfter'], pictures: [] })
})

test('reads RTF around a large object, within its memory limit', async () => {
  const digits = `${'d0cf11e0'.repeat(16)}\n`.repeat(450_000)
  const filename = join(folder, 'object.rtf')
  writeFileSync(filename, `{\\rtf1 Before\\par{\\object{\\*\\objdata ${digits}}}After\\par}`)
  const { signal } = new AbortController()
  const { pages } = await documentReader.read({ filename, format: 'rtf' }, { folder, signal })
  const texts: string[] = []
  for await (const { text } of pages(signal)) texts.push(text)
  expect(texts).toEqual(['Before\n\nAfter'])
})

const endless: [what: string, text: string][] = [
  ['a paragraph', 'some words\n'.repeat(4_000_000)],
  ['cells', '\\intbl words\\cell'.repeat(1_100_000)],
]
test.each(endless)('truncates RTF with endless %s, within its memory limit', async (_what, text) => {
  const filename = join(folder, 'endless.rtf')
  writeFileSync(filename, `{\\rtf1 Before\\par ${text}}`)
  const { signal } = new AbortController()
  const { pages, isCut } = await documentReader.read({ filename, format: 'rtf' }, { folder, signal })
  const texts: string[] = []
  for await (const page of pages(signal)) texts.push(page.text)
  expect({ isCut, beginning: texts.join().slice(0, 6) }).toEqual({ isCut: true, beginning: 'Before' })
})

test('shows the value of a LibreOffice cell without text, and all digits of a long number', async () => {
  const cell = (value: string, text = '') =>
    `<table:table-cell office:value="${value}">${text && `<text:p>${text}</text:p>`}</table:table-cell>`
  const pages = await linesIn('ods', {
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:spreadsheet><table:table table:name="S"><table:table-row>
      ${cell('9.9', '9,90 €')}${cell('7.25')}${cell('4006381333931', '4,00638E+12')}${cell('0.00000012', '1,2E-07')}
      </table:table-row></table:table></office:spreadsheet>`,
  })
  expect(pages.flat()).toContain('9,90 € | 7.25 | 4006381333931 | 1,2E-07')
})

test('a damaged file inside a document loses none of the others, and the document is reported as damaged', async () => {
  const paragraphs = (text: string, count: number) =>
    Array.from({ length: count }, (_, index) => `<w:p><w:r><w:t>${text} ${index * 7919}</w:t></w:r></w:p>`).join('')
  const original = await zipOf({
    'word/document.xml': paragraphs('Dear Ana', 90),
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Target="footer1.xml" Type="x/footer"/><Relationship Id="r2" Target="comments.xml" Type="x/comments"/></Relationships>',
    'word/footer1.xml': paragraphs('Account', 60),
    'word/comments.xml': paragraphs('Is this her name', 60),
  })
  const readBroken = async (name: string) => {
    const broken = Buffer.from(original)
    const begin = broken.indexOf(name) + name.length
    for (let index = begin + 2; index < begin + 14; index++) broken[index] = 255 - (broken[index] ?? 0)
    const filename = join(folder, 'broken.docx')
    writeFileSync(filename, broken)
    const { signal } = new AbortController()
    const { pages, isDamaged } = await documentReader.read({ filename, format: 'docx' }, { folder, signal })
    let allText = ''
    for await (const { text } of pages(signal)) allText += text
    return {
      isDamaged,
      hasTexts: ['Dear Ana 7919', 'Account 7919', 'Is this her name 7919'].map((one) => allText.includes(one)),
    }
  }
  expect(await readBroken('word/footer1.xml')).toEqual({ isDamaged: true, hasTexts: [true, false, true] })
  expect(await readBroken('word/document.xml')).toEqual({ isDamaged: true, hasTexts: [false, true, true] })
})
