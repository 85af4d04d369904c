import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { InvalidPDFException, PasswordException, UnknownErrorException } from 'pdf-parse'
import PDFDocument from 'pdfkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rawPdf, textPdf } from '../../../test/pdf-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import type { PdfReader } from './pdf.ts'
import { writeEmbedded } from './pdf-attached.ts'
import { notesOf, type PdfAnnotation } from './pdf-notes.ts'
import { createPdfReader } from './pdf-reader.ts'
import { withoutFaultyXfa } from './pdf-xfa.ts'

let folder: string
let pdf: PdfReader
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-pdf-notes-'))
  pdf = createPdfReader({ sandboxing: testSandboxing })
})
afterAll(async () => {
  await pdf.close()
  rmSync(folder, { recursive: true, force: true })
})
const signal = new AbortController().signal

async function writePdf(name: string, draw: (document: InstanceType<typeof PDFDocument>) => void): Promise<string> {
  const document = new PDFDocument({ size: 'A4', margin: 0 })
  draw(document)
  document.end()
  const filename = join(folder, name)
  writeFileSync(filename, await buffer(document))
  return filename
}

async function pageOf(filename: string) {
  for await (const [page] of pdf.texts(filename, signal)) return page
  return undefined
}

test('reads the values of a form and the notes on a page', async () => {
  const filename = await writePdf('form.pdf', (document) => {
    document.font('Helvetica').fontSize(12).text('Full name:', 50, 100, { lineBreak: false })
    document.initForm()
    document.formText('topmost[0].f1_01[0]', 150, 95, 200, 20, { value: 'Bartholomew Quibble' })
    document.formCombo('crop', 150, 195, 200, 20, { select: ['Leeks', 'Rutabaga'], value: 'Rutabaga' })
    document.note(50, 300, 20, 20, 'Call him before Friday', { T: new String('Ana') })
  })
  expect(await pageOf(filename)).toEqual({
    page: 1,
    text: 'Full name:',
    notes: 'Full name: Bartholomew Quibble\ncrop: Rutabaga\nAna: Call him before Friday',
  })
})

describe('the notes of a page', () => {
  const box = (more: Partial<PdfAnnotation>): PdfAnnotation => ({
    ...{ subtype: 'Widget', fieldType: 'Btn', fieldName: 'Check Box1', rect: [100, 700, 112, 712] },
    ...more,
  })
  const text = (str: string, x: number, y = 702) => ({
    str,
    transform: [1, 0, 0, 1, x, y],
    width: 6 * str.length,
    height: 10,
  })
  const notes = (annotations: PdfAnnotation[], texts = [text('left', 40), text('I keep', 116), text('a dog', 156)]) =>
    notesOf(annotations, async () => texts)

  test('have checkboxes with the words next to them', async () => {
    expect(await notes([box({ checkBox: true, exportValue: 'Yes', fieldValue: 'Yes' })])).toBe('☑ I keep a dog')
    expect(await notes([box({ checkBox: true, exportValue: 'Yes', fieldValue: 'Off' })])).toBe('☐ I keep a dog')
    expect(
      await notes([box({ radioButton: true, buttonValue: '2', fieldValue: '2', alternativeText: 'By bus' })]),
    ).toBe('◉ By bus')
    expect(await notes([box({ checkBox: true, exportValue: 'Yes', fieldValue: 'Yes' })], [])).toBe('☑ Check Box1')
  })

  test('have comments, free text and stamps, but no replies that only set a state, and nothing hidden or secret', async () => {
    expect(
      await notes([
        { subtype: 'Highlight', contentsObj: { str: 'Who paid?' }, titleObj: { str: 'Olga' } },
        { subtype: 'FreeText', textContent: ['Draft,', 'not final'], titleObj: { str: 'Olga' } },
        { subtype: 'Stamp', contentsObj: { str: 'Approved' } },
        { subtype: 'Text', contentsObj: { str: 'Accepted set by Olga' }, stateModel: 'Review' },
        { subtype: 'Popup', contentsObj: { str: 'Who paid?' } },
        { subtype: 'Text', contentsObj: { str: 'unseen' }, hidden: true },
        box({ fieldType: 'Tx', fieldValue: 'secret', password: true }),
      ]),
    ).toBe('Olga: Who paid?\nDraft, not final\nApproved')
  })
})

test('reads signatures, stamps and fields that are only drawn', async () => {
  const appearance = (content: string) =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 200 40]/Resources<</Font<</F 4 0 R>>>>/Length ${content.length}>>stream\n${content}\nendstream`
  const note = (more: string, normal: number) =>
    `<</Type/Annot/F 4/Rect[50 600 250 640]/AP<</N ${normal} 0 R>>${more}>>`
  const filename = join(folder, 'signed.pdf')
  writeFileSync(
    filename,
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R 6 0 R]>>>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[5 0 R 6 0 R 7 0 R]>>',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      note('/Subtype/Widget/FT/Sig/T(Signature1)', 8),
      note('/Subtype/Widget/FT/Tx/T(Berth)', 9),
      note('/Subtype/Stamp', 10),
      appearance('BT /F 9 Tf 2 20 Td [(Signed)-300(by Ott)20(ilie)] TJ 0 -12 Td (2024-03-05 14:10) Tj ET'),
      appearance('/Tx BMC BT /F 9 Tf 2 20 Td (B 14) Tj ET EMC'),
      appearance('BT /F 9 Tf 2 20 Td (Paid) Tj ET'),
    ]),
  )
  expect(await pageOf(filename)).toEqual({
    page: 1,
    text: '',
    notes: 'Berth: B 14\nPaid\nSigned by Ottilie 2024-03-05 14:10',
  })
})

test('returns the files attached to a PDF, an invoice as its text', async () => {
  const invoice = `<?xml version="1.0"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
    xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
    xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"><rsm:ExchangedDocument><ram:ID>RE-2024-17</ram:ID>
    <ram:IssueDateTime><udt:DateTimeString format="102">20240131</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
    <rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>Seifert &amp; Co</ram:Name>
    </ram:SellerTradeParty></ram:ApplicableHeaderTradeAgreement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`
  const inner = await writePdf('inner.pdf', (document) => document.font('Helvetica').text('Inside', 50, 50))
  const filename = await writePdf('outer.pdf', (document) => {
    document.text('See the attachments', 50, 50)
    document.file(Buffer.from(invoice), { name: 'factur-x.xml' })
    document.file(Buffer.from('Größe: 12'), { name: 'notes.txt' })
    document.file(inner, { name: 'plan.pdf' })
    document.file(Buffer.alloc(100), { name: 'tool.exe' })
  })
  const attached = await pdf.attachments(filename, { folder, signal })
  expect(attached).toEqual(
    expect.arrayContaining([
      { name: 'factur-x.xml', text: 'Invoice number: RE-2024-17\nInvoice date: 2024-01-31\nSeller: Seifert & Co' },
      { name: 'notes.txt', text: 'Größe: 12' },
      { name: 'plan.pdf', format: 'pdf', filename: expect.stringContaining(folder) },
      { name: 'tool.exe', text: '' },
    ]),
  )
  const plan = attached.find((pdfAttachment) => 'filename' in pdfAttachment)
  expect(plan && 'filename' in plan ? (await pageOf(plan.filename))?.text : null).toBe('Inside')
})

test('reads the text and values of an XFA form, and draws its page', async () => {
  const field = (name: string, ui: string, more = '') =>
    `<field name="${name}" w="3in" h="0.5in"><assist><toolTip>The ${name}</toolTip></assist><ui>${ui}</ui>${more}</field>`
  const form = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/">
    <subform name="form1" layout="tb" locale="en_US"><pageSet><pageArea name="Page1"><contentArea x="0.25in" y="0.25in" w="8in" h="10.5in"/>
    <medium stock="letter" short="8.5in" long="11in"/></pageArea></pageSet><subform layout="tb" w="8in">
    <draw w="3in" h="0.5in"><value><text>Loan of a boat</text></value></draw>
    ${field('skipper', '<textEdit/>')}${field('sail', '<checkButton/>', '<items><text>1</text><text>0</text></items>')}
    </subform></subform></template><xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1>
    <skipper>Ottilie Quist</skipper><sail>1</sail></form1></xfa:data></xfa:datasets></xdp:xdp>`
  const filename = join(folder, 'xfa.pdf')
  writeFileSync(
    filename,
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R/NeedsRendering true/AcroForm<</Fields[]/XFA 4 0 R>>>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>',
      `<</Length ${Buffer.byteLength(form)}>>stream\n${form}\nendstream`,
    ]),
  )
  const page = await pageOf(filename)
  expect(page?.text.split('\n')).toEqual(['Loan of a boat', 'The skipper: Ottilie Quist', '☑ The sail'])
  const drawnPages: number[] = []
  for await (const { page } of pdf.draw(filename, { pages: [1], widthPixels: 200, folder, signal }))
    drawnPages.push(page)
  expect(drawnPages).toEqual([1])
})

test('reads the page text of a form whose XFA can’t be laid out', async () => {
  const form = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><pdf/><template><subform use="xfa">'
  const content = 'BT /F 12 Tf 72 700 Td (Loan of a boat) Tj ET'
  const filename = join(folder, 'malformed-xfa.pdf')
  writeFileSync(
    filename,
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R/NeedsRendering true/AcroForm<</Fields[]/XFA 4 0 R>>>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F 6 0 R>>>>>>',
      `<</Length ${form.length}>>stream\n${form}\nendstream`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ]),
  )
  expect((await pageOf(filename))?.text).toBe('Loan of a boat')
})

test.each([
  ['damaged', new InvalidPDFException('Invalid PDF structure.'), 1],
  ['locked', new PasswordException('No password given'), 1],
  ['a form whose XFA is damaged', new UnknownErrorException('TypeError'), 2],
])('loads a PDF again only when that can help: %s', async (_name, error, times) => {
  const load = vi.fn(() => Promise.reject(error))
  await expect(withoutFaultyXfa(load)).rejects.toBe(error)
  expect(load).toHaveBeenCalledTimes(times)
})

test('strips folder and form from names with Unicode line separators', async () => {
  expect(await writeEmbedded([{ filename: 'a\u2028b/plan.exe' }], folder)).toEqual([{ name: 'plan.exe', text: '' }])
  const field = {
    subtype: 'Widget',
    fieldType: 'Tx',
    fieldName: 'a\u2028b.skipper',
    fieldValue: 'Ottilie',
    rect: [0, 0, 9, 9],
  }
  expect(await notesOf([field], async () => [])).toBe('skipper: Ottilie')
})

test('joins a word split across pages on the first one, before its page number', async () => {
  const filename = join(folder, 'two-pages.pdf')
  writeFileSync(
    filename,
    await textPdf([
      { lines: ['She joined the orches-', '12'] },
      { lines: ['tra of the valley'] },
      { lines: ['A well-'] },
    ]),
  )
  const pages: string[] = []
  for await (const batch of pdf.texts(filename, signal)) pages.push(...batch.map(({ text }) => text))
  expect(pages).toEqual(['She joined the orches-\ntra\n12', 'tra of the valley', 'A well-'])
})

test('reads the other pages of a PDF with a damaged one', async () => {
  const content = 'BT /F 12 Tf 72 700 Td (The honey was counted) Tj ET'
  const filename = join(folder, 'damaged-page.pdf')
  const objects = (kids: string) => [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count 2/Kids[${kids}]>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  writeFileSync(filename, rawPdf(objects('3 0 R 42')))
  const pages: unknown[] = []
  for await (const batch of pdf.texts(filename, signal)) pages.push(...batch)
  expect(pages).toEqual([
    { page: 1, text: 'The honey was counted' },
    { page: 2, text: '', isDamaged: true },
  ])
})
