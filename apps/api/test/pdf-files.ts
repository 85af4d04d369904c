/// <reference path="./pdfkit.d.ts" />
import { buffer } from 'node:stream/consumers'
import PDFDocument, { type DocumentOptions } from 'pdfkit'

/** A page of a PDF made by a test; sizes in points. */
export interface PageToWrite {
  /** Lines of text, from the top. */
  lines?: string[]
  fontSize?: number
  /** One of the standard fonts of PDF. */
  font?: 'Helvetica' | 'Helvetica-Bold' | 'Times-Roman' | 'Courier'
  ink?: string
  paper?: string
  /** A JPEG or PNG that fills the page, behind the lines. */
  picture?: Buffer
  width?: number
  height?: number
}

/**
 * A PDF with a text layer, limited to the characters of Western European languages.
 * @param options.romanPages first pages, numbered i, ii, iii; the others then begin with 1.
 */
export function textPdf(
  pages: PageToWrite[],
  { romanPages = 0, ...options }: DocumentOptions & { romanPages?: number } = {},
): Promise<Buffer> {
  const document = new PDFDocument({ ...options, autoFirstPage: false })
  if (romanPages > 0) document._root.data.PageLabels = { Nums: [0, { S: 'r' }, romanPages, { S: 'D' }] }
  for (const page of pages) {
    const { lines = [], fontSize = 24, font = 'Helvetica', ink = '#111111', width = 595, height = 842 } = page
    document.addPage({ size: [width, height], margin: 0 })
    if (page.paper !== undefined) document.rect(0, 0, width, height).fill(page.paper)
    if (page.picture !== undefined) document.image(page.picture, 0, 0, { width, height })
    document.fillColor(ink).font(font).fontSize(fontSize)
    for (const [index, line] of lines.entries()) {
      document.text(line, fontSize, fontSize + index * fontSize * 1.5, { lineBreak: false })
    }
  }
  document.end()
  return buffer(document)
}

/** A PDF as scanners write it: each page is an image. */
export function scannedPdf(pictures: Buffer[]): Promise<Buffer> {
  return textPdf(pictures.map((picture) => ({ picture })))
}

/** A PDF of these objects, of which the first is the catalogue. */
export function rawPdf(objects: string[]): Buffer {
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = Buffer.byteLength(file)
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${Buffer.byteLength(file)}\n%%EOF`
  return Buffer.from(file)
}
