// Reads PDFs in a separate process: pdf.js blocks the thread that calls it, and a file may keep it busy for any length of time.
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cutText } from '@mira/shared/constants/cut-text'
import { PasswordException, PDFParse } from 'pdf-parse'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { drawnNotes, type Operations, operationsOn } from './drawn-notes.ts'
import { isGarbled } from './garbled-text.ts'
import type { PdfAttachment, ReadPdfPage } from './pdf.ts'
import { type EmbeddedFile, writeEmbedded } from './pdf-attached.ts'
import { linesOf, type TextRun } from './pdf-lines.ts'
import { isOnlyDrawn, notesOf, type PdfAnnotation } from './pdf-notes.ts'
import { pdfOptions } from './pdf-options.ts'
import { linesOfXfa, withoutFaultyXfa, type XfaElement } from './pdf-xfa.ts'
import './soft-hyphens.ts'

/** Metadata of a PDF in a form that can be sent between processes. */
export interface InspectedPdf {
  pageCount: number
  title: string | null
  author: string | null
  createdAt: Date | null
}

interface PageToDraw {
  filename: string
  page: number
  widthPixels: number
  folder: string
}

interface PictureSearch {
  filename: string
  pages: number[]
  max: number
  withinMs: number
}

/** Codes of errors that are the file's fault. */
const ENCRYPTED = 'encrypted_document'
const DAMAGED = 'damaged_document'

/** Pages with a greater ratio of height to width are drawn smaller. */
const MAX_HEIGHT_PER_WIDTH = 3
/** Minimum size of a picture that may contain text, in pixels; logos and ornaments are smaller. */
const MIN_PICTURE_WIDTH = 200
const MIN_PICTURE_HEIGHT = 60
/** Time limit for drawing pages to get the texts of signatures and stamps. After it, pages are read without these texts. */
const DRAWN_NOTES_MS = 20_000
const MAX_TITLE_CHARACTERS = 500
/** Limit of the pages searched for attached files. */
const MAX_PAGES_WITH_FILES = 200
const [MAX_LABELS, MAX_LABEL_CHARACTERS] = [5_000, 20]
/** Enough for any page: the length of a short book. */
const MAX_PAGE_CHARACTERS = 200_000

class PdfProblem extends Error {
  readonly code: string
  constructor(code: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause))
    this.code = code
  }
}

/** Document of the previous task, kept open because a file is read in several tasks. */
let opened: { key: string; reader: PDFParse } | undefined

async function open(filename: string): Promise<PDFParse> {
  const { size, mtimeMs } = await stat(filename)
  const key = `${filename} ${size} ${mtimeMs}`
  if (opened?.key === key) return opened.reader
  const before = opened
  opened = undefined
  await before?.reader.destroy()
  const reader = await withoutFaultyXfa((options) => load(filename, options))
  opened = { key, reader }
  return reader
}

async function load(filename: string, options: { enableXfa?: boolean } = {}): Promise<PDFParse> {
  const reader = new PDFParse({ ...pdfOptions, ...options, data: new Uint8Array(await readFile(filename)) })
  try {
    // pdf-parse only loads the document at the first request
    await reader.getInfo()
    return reader
  } catch (error) {
    await reader.destroy()
    throw error
  }
}

const problemOf = (error: unknown) =>
  isSystemError(error) ? error : new PdfProblem(error instanceof PasswordException ? ENCRYPTED : DAMAGED, error)

/** Runs work on an open file. Any error of the library counts as the file's fault; the file is then closed. */
async function withReader<T>(filename: string, work: (reader: PDFParse) => Promise<T>): Promise<T> {
  const reader = await open(filename).catch((error: unknown) => {
    throw problemOf(error)
  })
  try {
    return await work(reader)
  } catch (error) {
    opened = undefined
    await reader.destroy()
    throw problemOf(error)
  }
}

const tasks = {
  inspect: ({ filename }: { filename: string }): Promise<InspectedPdf> =>
    withReader(filename, async (reader) => {
      const info = await reader.getInfo()
      const infoFields = (info.info ?? {}) as Record<string, unknown>
      const created = info.getDateNode().CreationDate ?? null
      return {
        pageCount: info.total,
        title: shortText(infoFields.Title),
        author: shortText(infoFields.Author),
        createdAt: created !== null && Number.isFinite(created.getTime()) ? created : null,
        pageLabels: printedLabels(await (reader as unknown as WithDocument).doc.getPageLabels()),
      }
    }),

  /** Texts and notes of pages. */
  texts: ({ filename, pages }: { filename: string; pages: number[] }): Promise<ReadPdfPage[]> =>
    withReader(filename, async (reader) => {
      const { total } = await reader.getInfo()
      const { doc } = reader as unknown as WithDocument
      if (doc.isPureXfa)
        return textsOfXfa(
          doc,
          pages.filter((page) => page <= total),
        )
      const readPages: ReadPdfPage[] = []
      const drawUntil = performance.now() + DRAWN_NOTES_MS
      const layers = await layersOf(
        reader,
        pages.filter((page) => page <= total),
        total,
      )
      for (const [page, { text, next }] of layers) {
        if (text === null) {
          readPages.push({ page, text: '', isDamaged: true })
          continue
        }
        const layer = withoutControls(completeLastWord(tidy(text), next))
        const notes = tidy(await notesOn(reader, page, drawUntil))
        const pageText = { page, text: layer, ...(notes === '' ? {} : { notes }) }
        readPages.push(isGarbled(text) ? { ...pageText, isGarbled: true } : pageText)
      }
      return readPages
    }),

  attachments: ({ filename, folder }: { filename: string; folder: string }): Promise<PdfAttachment[]> =>
    withReader(filename, async (reader) => {
      const { total } = await reader.getInfo()
      const { doc } = reader as unknown as WithDocument
      const files = Object.values((await doc.getAttachments()) ?? {})
      const pages = Math.min(total, MAX_PAGES_WITH_FILES)
      for (let page = 1; page <= pages; page++) {
        for (const { file } of await annotationsOn(reader, page)) if (file) files.push(file)
      }
      return writeEmbedded(files, folder)
    }),

  /** Pages with a picture, up to the limits of number and time. */
  pictured: ({ filename, pages, max, withinMs }: PictureSearch) =>
    withReader(filename, async (reader) => {
      const endsAt = performance.now() + withinMs
      const pictured: number[] = []
      for (const page of pages) {
        if (pictured.length >= max || performance.now() > endsAt) break
        if (await showsPicture(reader, page, endsAt)) pictured.push(page)
      }
      return pictured
    }),

  draw: async ({ filename, page, widthPixels, folder }: PageToDraw) => {
    const screenshot = await withReader(filename, async (reader) => {
      const drawing = { partial: [page], imageBuffer: true, imageDataUrl: false }
      const desiredWidth = await widthOf(reader, page, widthPixels)
      const { pages } = await reader.getScreenshot({ ...drawing, desiredWidth })
      if (pages[0] === undefined) throw new Error('There is no such page.')
      return pages[0]
    })
    const pageFile = join(folder, `page-${page}.png`)
    await writeFile(pageFile, screenshot.data)
    return { page, filename: pageFile, width: Math.floor(screenshot.width), height: Math.floor(screenshot.height) }
  },
}

/** Page of pdf.js, with undocumented calls. */
interface PdfPage {
  /** Drawing operations of a page: no other call finds pictures without decoding them. */
  getOperatorList(): Promise<Operations>
  getAnnotations(options: { intent: 'display' }): Promise<PdfAnnotation[]>
  getTextContent(): Promise<{ items: (TextRun | object)[] }>
  getViewport(options: { scale: number }): { convertToViewportPoint(x: number, y: number): number[] }
  getXfa(): Promise<XfaElement | null>
  cleanup(): unknown
}

/** Document of pdf.js, with undocumented calls. */
interface WithDocument {
  doc: {
    getPageLabels(): Promise<string[] | null>
    getPage(page: number): Promise<PdfPage>
    /** True for pages of an XFA form. */
    isPureXfa: boolean
    getAttachments(): Promise<Record<string, EmbeddedFile> | null>
  }
}

/**
 * Text layers of pages; null for a damaged page.
 * @throws the last page's error when none can be read.
 */
async function layersOf(reader: PDFParse, pages: number[], total: number) {
  const texts = new Map<number, string | null>()
  let fault: unknown
  for (const page of [...pages, (pages.at(-1) ?? 0) + 1].filter((one) => one <= total)) {
    try {
      const pdfPage = await (reader as unknown as WithDocument).doc.getPage(page)
      const viewport = pdfPage.getViewport({ scale: 1 })
      texts.set(
        page,
        linesOf(await runsOn(pdfPage), (x, y) => viewport.convertToViewportPoint(x, y)),
      )
      pdfPage.cleanup()
    } catch (error) {
      fault = error
      texts.set(page, null)
    }
  }
  if (fault !== undefined && [...texts.values()].every((text) => text === null)) throw fault
  return pages.map((page) => [page, { text: texts.get(page) ?? null, next: texts.get(page + 1) ?? '' }] as const)
}

async function runsOn(page: PdfPage): Promise<TextRun[]> {
  const { items } = await page.getTextContent()
  return items.filter((item): item is TextRun => 'str' in item && 'transform' in item)
}

/** Completes a hyphenated word at the end of a page (before any page number) with its rest from the next page. */
function completeLastWord(text: string, next: string): string {
  const rest = /^\s*(\p{Ll}[\p{L}\p{M}]*)/u.exec(next)?.[1]
  return rest === undefined ? text : text.replace(/(\p{L}[-\u00AD\u2010])(\n\s*\d{1,4})?$/u, `$1\n${rest}$2`)
}

async function textsOfXfa(doc: WithDocument['doc'], pages: number[]): Promise<ReadPdfPage[]> {
  const read: ReadPdfPage[] = []
  for (const page of pages) {
    read.push({ page, text: tidy(linesOfXfa(await (await doc.getPage(page)).getXfa())) })
  }
  return read
}

/** Annotations of a page; none when they can't be read, so that the page's text isn't lost. */
async function annotationsOn(reader: PDFParse, number: number): Promise<PdfAnnotation[]> {
  try {
    const page = await (reader as unknown as WithDocument).doc.getPage(number)
    return await page.getAnnotations({ intent: 'display' })
  } catch {
    return []
  }
}

/** Lines of fields and notes of a page. */
async function notesOn(reader: PDFParse, number: number, drawUntil: number): Promise<string> {
  const annotations = await annotationsOn(reader, number)
  if (annotations.length === 0) return ''
  const page = await (reader as unknown as WithDocument).doc.getPage(number)
  if (performance.now() < drawUntil && annotations.some(isOnlyDrawn)) {
    const texts = drawnNotes(await operationsOn(page, drawUntil))
    for (const one of annotations.filter(isOnlyDrawn)) one.textContent = [texts.get(one.id ?? '') ?? '']
  }
  const notes = await notesOf(annotations, () => runsOn(page))
  page.cleanup()
  return notes
}

/** Operation code of pdf.js that draws a picture; its arguments are a name, a width and a height. */
const DRAW_PICTURE = 85

/** True when a page shows a picture that is large enough to be read. */
async function showsPicture(reader: PDFParse, number: number, endsAt: number): Promise<boolean> {
  const page = await (reader as unknown as WithDocument).doc.getPage(number)
  // A page that can't be drawn counts as one without pictures; its text has already been read.
  const { fnArray, argsArray } = await operationsOn(page, endsAt)
  page.cleanup()
  return fnArray.some((operation, index) => {
    const [, width, height] = (argsArray[index] ?? []) as [unknown, number, number]
    return operation === DRAW_PICTURE && width >= MIN_PICTURE_WIDTH && height >= MIN_PICTURE_HEIGHT
  })
}

/** The requested width, reduced for tall pages to bound their memory. */
async function widthOf(reader: PDFParse, page: number, widthPixels: number): Promise<number> {
  const { pages } = await reader.getInfo({ partial: [page], parsePageInfo: true })
  const { width = 1, height = 1 } = pages[0] ?? {}
  return Math.max(1, Math.round(Math.min(widthPixels, (widthPixels * MAX_HEIGHT_PER_WIDTH * width) / height)))
}

/** Printed labels of pages, '' for a label that's just the page's number; none when all are. */
function printedLabels(labels: string[] | null): string[] {
  const printed = (labels ?? [])
    .slice(0, MAX_LABELS)
    .map((label, index) => (label === String(index + 1) ? '' : cutText(shortText(label) ?? '', MAX_LABEL_CHARACTERS)))
  return printed.some((label) => label !== '') ? printed : []
}

function shortText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  return text === '' ? null : cutText(text, MAX_TITLE_CHARACTERS)
}

/** Replaces control characters, which stand for glyphs without a character, by blanks. */
const withoutControls = (text: string) => text.replaceAll(/[^\P{Cc}\t\n]/gu, ' ').trim()

/** Removes NULs, which PostgreSQL rejects, lone surrogates, and spaces at the ends of lines. */
function tidy(text: string): string {
  return cutText(text, MAX_PAGE_CHARACTERS)
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll(/(?<![^\S\n])[^\S\n]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

export type PdfTasks = typeof tasks

serveTasks(tasks)
