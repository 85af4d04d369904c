import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scannedPdf, textPdf } from '../../../test/pdf-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { textImage } from '../../../test/written-pictures.ts'
import type { DrawnPage, PdfReader } from './pdf.ts'
import { createPdfReader, type PdfReaderOptions } from './pdf-reader.ts'

let folder: string
let pdf: PdfReader
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-pdf-'))
  pdf = createPdfReader({ sandboxing: testSandboxing })
})
afterAll(async () => {
  await pdf.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
function write(file: Buffer): string {
  const filename = join(folder, `${count++}.pdf`)
  writeFileSync(filename, file)
  return filename
}
const signal = new AbortController().signal

async function textsOf(filename: string, reader = pdf, picturesWanted?: () => number) {
  const batches: { page: number; text: string; hasPicture?: true }[][] = []
  for await (const batch of reader.texts(filename, signal, { picturesWanted })) batches.push(batch)
  return batches
}

async function draw(filename: string, pages: number[], widthPixels = 800, reader = pdf): Promise<DrawnPage[]> {
  const into = mkdtempSync(join(folder, 'pages-'))
  const drawnPages: DrawnPage[] = []
  for await (const page of reader.draw(filename, { pages, widthPixels, folder: into, signal })) drawnPages.push(page)
  return drawnPages
}

/** Share of ink in an image, 0 to 1. */
async function textAreaOf(filename: string): Promise<number> {
  const { channels } = await sharp(filename).greyscale().stats()
  return 1 - (channels[0]?.mean ?? Number.NaN) / 255
}

const problem = (work: Promise<unknown>) =>
  work.then(
    () => 'it was read',
    ({ status, code, message }) => [status, code, message],
  )

describe('a PDF', () => {
  test('has its page count, title, author and date', async () => {
    const info = {
      Title: 'Rules  of\nthe harbour',
      Author: 'Señora Núñez',
      CreationDate: new Date('2024-05-06T07:08:09Z'),
    }
    const filename = write(await textPdf([{}, {}, {}], { info }))
    expect(await pdf.inspect(filename, signal)).toEqual({
      pageCount: 3,
      title: 'Rules of the harbour',
      author: 'Señora Núñez',
      createdAt: new Date('2024-05-06T07:08:09Z'),
      pageLabels: [],
    })
  })

  test('has the text of each page, and none for a page with only an image', async () => {
    const picture = await textImage('Scanned')
    const pages = [{ lines: ['Straße, niño, élève', 'second line'] }, { picture }, { lines: ['third page'] }]
    expect(await textsOf(write(await textPdf(pages)))).toEqual([
      [
        { page: 1, text: 'Straße, niño, élève\nsecond line' },
        { page: 2, text: '' },
        { page: 3, text: 'third page' },
      ],
    ])
  })

  test('of 300 pages is read in batches, in order', async () => {
    const pages = Array.from({ length: 300 }, (_, index) => ({ lines: [`Page ${index + 1}`] }))
    const batches = await textsOf(write(await textPdf(pages)))
    expect(batches.map(({ length }) => length)).toEqual(Array(15).fill(20))
    expect(batches.flat().map(({ page, text }) => [page, text])).toEqual(
      Array.from({ length: 300 }, (_, index) => [index + 1, `Page ${index + 1}`]),
    )
  })

  test('reports which pages of text have an image, up to the number wanted', async () => {
    const picture = await textImage('Scanned')
    const page = { picture, lines: ['A caption of the picture'] }
    const pages = [page, { lines: ['Text alone'] }, page, { picture }, page, ...Array(20).fill(page)]
    const filename = write(await textPdf(pages))
    const pictured = async (max: number) => {
      let remaining = max
      const pageNumbers: number[] = []
      for await (const batch of pdf.texts(filename, signal, { picturesWanted: () => remaining })) {
        const batchPages = batch.flatMap(({ page: number, hasPicture }) => (hasPicture ? [number] : []))
        remaining -= batchPages.length
        pageNumbers.push(...batchPages)
      }
      return pageNumbers
    }
    expect(await pictured(2)).toEqual([1, 3])
    expect(await pictured(20)).toEqual([1, 3, ...Array.from({ length: 18 }, (_, index) => index + 5)])
    expect((await textsOf(filename)).flat().filter(({ hasPicture }) => hasPicture)).toEqual([])
  })

  test('reports its images while another file is read between its tasks', async () => {
    const filename = write(await textPdf([{ picture: await textImage('Scanned'), lines: ['A caption'] }]))
    const other = write(await textPdf([{ lines: ['another file'] }]))
    let isRead = false
    const readingOther = (async () => {
      while (!isRead) await pdf.inspect(other, signal)
    })()
    const batches = await textsOf(filename, pdf, () => 1).finally(() => {
      isRead = true
    })
    await readingOther
    expect(batches.flat()).toMatchObject([{ page: 1, hasPicture: true }])
  })

  test('keeps its text when searching its images takes too long', async () => {
    // so many lines that searching them takes far longer than the limit, even where the limit is noticed late
    const page = { picture: await textImage('Scanned'), lines: Array(500).fill('A caption') }
    const filename = write(await textPdf(Array(25).fill(page)))
    const warnings: string[] = []
    const warn = (_fields: object, sentence: string) => void warnings.push(sentence)
    const calls: number[] = []
    const onPicturesWanted = () => {
      calls.push(1)
      return 25
    }
    // the first is killed with its process after a millisecond, the second stops on its own
    for (const limits of [{ pictureSearchMs: 20_000, pageTimeoutMs: -19_999 }, { pictureSearchMs: -1 }]) {
      const otherPdf = createPdfReader({ sandboxing: testSandboxing, warn, ...limits })
      try {
        const texts = (await textsOf(filename, otherPdf, onPicturesWanted)).flat()
        expect(texts).toHaveLength(25)
        for (const { text, hasPicture } of texts) {
          expect(text).toMatch(/^A caption/)
          expect(hasPicture).toBeUndefined()
        }
      } finally {
        await otherPdf.close()
      }
    }
    expect(warnings.filter((sentence) => sentence.startsWith("couldn't search"))).toHaveLength(1)
    // once for the first, and for both batches of the second
    expect(calls).toHaveLength(3)
  })

  test('that needs a password only for changes is read', async () => {
    const filename = write(await textPdf([{ lines: ['open to all'] }], { ownerPassword: 'secret' }))
    expect(await textsOf(filename)).toEqual([[{ page: 1, text: 'open to all' }]])
  })
})

describe('a page', () => {
  test('is drawn at the requested width, in the reader’s own fonts', async () => {
    for (const font of ['Helvetica', 'Times-Roman', 'Courier'] as const) {
      const page = { lines: ['HARBOUR'], font, fontSize: 100, width: 600, height: 300 }
      const [drawnPage] = await draw(write(await textPdf([page])), [1])
      expect(drawnPage).toMatchObject({ page: 1, width: 800, height: 400 })
      expect(await sharp(drawnPage?.filename).metadata()).toMatchObject({ format: 'png', width: 800, height: 400 })
      expect(await textAreaOf(drawnPage?.filename ?? '')).toBeGreaterThan(0.03)
    }
  })

  test('is drawn only when requested, even when scanned', async () => {
    const scan = await textImage(['Scanned', 'letter'], { fontSize: 80, width: 595, height: 842 })
    const filename = write(await scannedPdf([scan, scan, scan]))
    const pages = await draw(filename, [3, 1])
    expect(pages.map(({ page }) => page)).toEqual([3, 1])
    for (const page of pages) expect(await textAreaOf(page.filename)).toBeGreaterThan(0.01)
  })

  test('is drawn at a limited size, however large it claims to be', async () => {
    const file = await textPdf([
      { lines: ['huge'], width: 14_400, height: 14_400, fontSize: 2_000 },
      { lines: ['high'], width: 100, height: 14_400 },
    ])
    const pages = await draw(write(file), [1, 2], 9_999)
    expect(pages.map(({ width, height }) => [width, height])).toEqual([
      [1_600, 1_600],
      [33, 4_752],
    ])
  })

  test('in Japanese without embedded fonts is read with the reader’s character maps', async () => {
    expect(await textsOf(write(pdfInJapanese()))).toEqual([[{ page: 1, text: '日本' }]])
  })
})

describe('a failed reading', () => {
  test('of a locked PDF is reported as such', async () => {
    const filename = write(await textPdf([{ lines: ['secret'] }], { userPassword: 'secret' }))
    const refusal = [
      422,
      'encrypted_document',
      'This PDF is password-protected. Save a copy without a password and upload that.',
    ]
    expect(await problem(pdf.inspect(filename, signal))).toEqual(refusal)
    expect(await problem(textsOf(filename))).toEqual(refusal)
    expect(await problem(draw(filename, [1]))).toEqual(refusal)
  })

  test('of a damaged PDF is reported as such', async () => {
    const refusal = [422, 'damaged_document', 'This PDF is damaged: it can’t be read.']
    for (const file of [Buffer.alloc(0), Buffer.from('%PDF-1.7\nnothing'), Buffer.alloc(5_000, 7)]) {
      expect(await problem(pdf.inspect(write(file), signal))).toEqual(refusal)
    }
    const onePage = write(await textPdf([{}]))
    expect(await problem(draw(onePage, [2]))).toEqual(refusal)
  })

  test('of a mutated PDF is reported as damaged or locked', { timeout: 40_000 }, async () => {
    const original = await textPdf([{ lines: ['One'] }, { lines: ['Two'] }], { compress: false })
    const outcomes = new Set<string>()
    // the same bytes each time
    let state = 1
    const next = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let round = 0; round < 60; round++) {
      const file = Buffer.from(round % 5 === 0 ? original.subarray(0, next(original.length)) : original)
      for (let change = 0; change < 12 && file.length > 0; change++) file[next(file.length)] = next(256)
      const filename = write(file)
      const outcome = await problem(textsOf(filename).then(() => draw(filename, [1], 100)))
      outcomes.add(typeof outcome === 'string' ? outcome : String(outcome[1]))
    }
    expect(
      [...outcomes].filter((outcome) => !['it was read', 'damaged_document', 'encrypted_document'].includes(outcome)),
    ).toEqual([])
    expect(await textsOf(write(original))).toHaveLength(1)
  })

  test('for lack of time or memory is reported as such', async () => {
    // too much work to finish before time and memory are first checked
    const pages = Array.from({ length: 24 }, (_, index) => index + 1)
    const heavy = write(await textPdf(pages.map(() => ({ lines: Array(40).fill('many words of text') }))))
    const withLimits = async (limits: Partial<PdfReaderOptions>) => {
      const otherPdf = createPdfReader({ sandboxing: testSandboxing, ...limits })
      try {
        return await problem(draw(heavy, pages, 1_600, otherPdf))
      } finally {
        await otherPdf.close()
      }
    }
    expect(await withLimits({ openTimeoutMs: 1, pageTimeoutMs: 1 })).toEqual([
      422,
      'damaged_document',
      'This PDF takes too long to read.',
    ])
    expect(await withLimits({ memoryLimitMb: 60 })).toEqual([
      422,
      'damaged_document',
      'This PDF takes too much memory to read.',
    ])
  })

  test('ends when the caller aborts, and the next one succeeds', async () => {
    const filename = write(await textPdf([{ lines: ['here'] }]))
    const controller = new AbortController()
    const reading = pdf.inspect(filename, controller.signal)
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    expect(await textsOf(filename)).toEqual([[{ page: 1, text: 'here' }]])
  })
})

test('fetches nothing that a PDF refers to and runs none of its scripts', async () => {
  const requestedUrls: string[] = []
  const server = createServer((request, response) => {
    requestedUrls.push(request.url ?? '')
    response.end('no')
  }).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const scriptFile = join(folder, 'made-by-a-pdf')
    const filename = write(pdfThatReachesOut(url, scriptFile))
    expect((await textsOf(filename)).flat()).toMatchObject([{ page: 1, text: 'Reaching out' }])
    expect(await draw(filename, [1])).toHaveLength(1)
    expect(requestedUrls).toEqual([])
    expect(readdirSync(folder)).not.toContain('made-by-a-pdf')
  } finally {
    server.close()
  }
})

/** A PDF of these objects, numbered from 1; the first is its catalogue. */
function pdfOf(objects: string[]): Buffer {
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.7\n${body}trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\n%%EOF`, 'latin1')
}

const contents = (text: string) => `<</Length ${text.length}>>\nstream\n${text}\nendstream`

function pdfThatReachesOut(url: string, filename: string): Buffer {
  const script = `app.launchURL('${url}/script'); require('fs').writeFileSync('${filename}', '')`
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R/OpenAction 6 0 R/AA<</WC 6 0 R>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Annots[7 0 R 8 0 R]' +
      '/Resources<</Font<</F 5 0 R>>/XObject<</I 9 0 R>>>>>>',
    contents('BT /F 24 Tf 20 100 Td (Reaching out) Tj ET 50 0 0 50 0 0 cm /I Do'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</S/JavaScript/JS(${script.replaceAll(/[()\\]/g, '\\$&')})>>`,
    `<</Type/Annot/Subtype/Link/Rect[0 0 300 200]/A<</S/URI/URI(${url}/link)>>>>`,
    `<</Type/Annot/Subtype/RichMedia/Rect[0 0 9 9]/FS<</FS/URL/F(${url}/media)>>>>`,
    `<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 0` +
      `/F<</FS/URL/F(${url}/picture)>>>>\nstream\n\nendstream`,
  ])
}

function pdfInJapanese(): Buffer {
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    contents('BT /F 24 Tf 20 100 Td <93FA967B> Tj ET'),
    '<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/FontDescriptor 7 0 R' +
      '/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>',
    '<</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800' +
      '/Descent -200/CapHeight 700/StemV 80>>',
  ])
}
