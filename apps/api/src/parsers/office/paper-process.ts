// Reads documents in a separate process: they may unpack to any size and take any time.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PaperFormat } from '@mira/shared'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { writeJsonLines } from '../../platform/storage/json-lines.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
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
import type { PaperMetadata, PaperParser } from './paper-parser.ts'
import { createPaperWriter, PaperFull, shortTitle, writePictures } from './paper-writer.ts'
import { type PaperAttachment, type PaperFile, type PaperInfo, PaperProblem } from './papers.ts'

const kinds: Record<PaperFormat, PaperParser> = {
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

const MAX_ADDRESS_CHARACTERS = 2_000

const tasks = {
  /** Writes the parts of a document into a folder, as lines of JSON. */
  read: async ({
    filename,
    format,
    fetched,
    maxPictures = 0,
    maxAttachments = 0,
    folder,
  }: PaperFile & { folder: string }) => {
    const writer = createPaperWriter()
    let facts: PaperMetadata = {}
    let isCut = false
    try {
      const read = fetched && format === 'html' ? readArticle(fetched.charset) : kinds[format]
      await read(filename, writer, (paperFacts) => {
        facts = paperFacts
      })
    } catch (error) {
      if (error instanceof PaperFull) isCut = true
      else if (error instanceof PaperProblem || isSystemError(error)) throw error
      else throw new PaperProblem('damaged_document', String(error))
    }
    const pages = writer.pages()
    if (writer.isDamaged() && pages.every(({ blocks }) => blocks.length === 0))
      throw new PaperProblem('damaged_document', 'its content is damaged')
    const pagesFile = join(folder, 'pages.ndjson')
    await writeJsonLines(pagesFile, pages)
    const info: PaperInfo = {
      title: shortTitle(facts.title),
      author: shortTitle(facts.author),
      siteName: shortTitle(facts.siteName),
      pictureUrl: facts.pictureUrl?.trim().slice(0, MAX_ADDRESS_CHARACTERS) || null,
      createdAt: facts.createdAt ?? null,
      isCut,
      isDamaged: writer.isDamaged(),
      titles: pages.map(({ title }) => title ?? ''),
    }
    const notedPictures = writer.pictures()
    const { pictures, foundCount: picturesFound } =
      maxPictures === 0
        ? { pictures: [], foundCount: notedPictures.length }
        : await writePictures(filename, notedPictures, { folder, max: maxPictures })
    const attachments: PaperAttachment[] = []
    for (const { content, ...attachment } of writer.attachments().slice(0, maxAttachments)) {
      const path = join(folder, `attachment-${attachments.length + 1}`)
      await writeFile(path, content)
      attachments.push({ ...attachment, filename: path })
    }
    return { info, filename: pagesFile, pictures, picturesFound, attachments }
  },
}

export type PaperTasks = typeof tasks

serveTasks(tasks)
