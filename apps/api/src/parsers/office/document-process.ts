// Reads documents in a separate process, since they may unpack to any size and take any amount of time.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DocumentFormat } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { writeJsonLines } from '../../platform/storage/json-lines.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import type { DocumentMetadata, DocumentParser } from './document-parser.ts'
import { type DocumentAttachment, DocumentError, type DocumentFile, type DocumentInfo } from './document-types.ts'
import { createDocumentWriter, DocumentFullError, shortTitle, writePictures } from './document-writer.ts'
import { readArticle } from './kinds/article.ts'
import { readCsv } from './kinds/csv.ts'
import { readEpub } from './kinds/epub.ts'
import { readHtml } from './kinds/html.ts'
import { readMail, readMailbox } from './kinds/mail.ts'
import { readNotes } from './kinds/notes.ts'
import { readOldSheets } from './kinds/old-sheets.ts'
import { readOldSlides } from './kinds/old-slides.ts'
import { readOldWord } from './kinds/old-word.ts'
import { readOpenDocument } from './kinds/open-document.ts'
import { readOutlookMessage } from './kinds/outlook-message.ts'
import { readRtf } from './kinds/rtf.ts'
import { readSheets } from './kinds/sheets.ts'
import { readSlides } from './kinds/slides.ts'
import { readWord } from './kinds/word.ts'

const parsers: Record<DocumentFormat, DocumentParser> = {
  docx: readWord,
  xlsx: readSheets,
  pptx: readSlides,
  odt: readOpenDocument('odt'),
  ods: readOpenDocument('ods'),
  odp: readOpenDocument('odp'),
  doc: readOldWord,
  xls: readOldSheets,
  ppt: readOldSlides,
  rtf: readRtf,
  epub: readEpub,
  html: readHtml,
  eml: readMail,
  msg: readOutlookMessage,
  mbox: readMailbox,
  enex: readNotes,
  csv: readCsv,
}

const MAX_URL_CHARACTERS = 2_000

const tasks = {
  /** Reads a document, and writes its pages (as NDJSON), pictures and attachments into a folder. */
  read: async ({
    filename,
    format,
    fetched,
    maxPictures = 0,
    maxAttachments = 0,
    folder,
  }: DocumentFile & { folder: string }) => {
    const writer = createDocumentWriter()
    let facts: DocumentMetadata = {}
    let isTruncated = false
    try {
      const read = fetched && format === 'html' ? readArticle(fetched.charset) : parsers[format]
      await read(filename, writer, (documentFacts) => {
        facts = documentFacts
      })
    } catch (error) {
      if (error instanceof DocumentFullError) isTruncated = true
      else if (error instanceof DocumentError || isSystemError(error)) throw error
      else throw new DocumentError('damaged_document', String(error))
    }
    const pages = writer.pages()
    if (writer.isDamaged() && pages.every(({ blocks }) => blocks.length === 0))
      throw new DocumentError('damaged_document', 'its content is damaged')
    const pagesFile = join(folder, 'pages.ndjson')
    await writeJsonLines(pagesFile, pages)
    const info: DocumentInfo = {
      title: shortTitle(facts.title),
      author: shortTitle(facts.author),
      siteName: shortTitle(facts.siteName),
      pictureUrl: cutText(facts.pictureUrl?.trim() ?? '', MAX_URL_CHARACTERS) || null,
      createdAt: facts.createdAt ?? null,
      isCut: isTruncated,
      isDamaged: writer.isDamaged(),
      titles: pages.map(({ title }) => title ?? ''),
    }
    const pictureReferences = writer.pictures()
    const { pictures, foundCount: picturesFound } =
      maxPictures === 0
        ? { pictures: [], foundCount: pictureReferences.length }
        : await writePictures(filename, pictureReferences, { folder, max: maxPictures })
    const attachments: DocumentAttachment[] = []
    for (const { content, ...attachment } of writer.attachments().slice(0, maxAttachments)) {
      const path = join(folder, `attachment-${attachments.length + 1}`)
      await writeFile(path, content)
      attachments.push({ ...attachment, filename: path })
    }
    return { info, filename: pagesFile, pictures, picturesFound, attachments }
  },
}

export type DocumentTasks = typeof tasks

serveTasks(tasks)
