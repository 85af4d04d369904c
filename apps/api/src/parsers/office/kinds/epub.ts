import { posix } from 'node:path'
import { dateOf, type PaperKind } from '../paper-kind.ts'
import { type PaperWriter, readPart } from '../paper-writer.ts'
import { readElements } from '../paper-xml.ts'
import { openPaperZip, type PaperZip } from '../paper-zip.ts'
import { PaperProblem } from '../papers.ts'
import { readMarkup } from './html.ts'
import { localName, textsOf } from './open-xml.ts'

/** Fonts are encrypted so in books that anybody may read (EPUB 3.3, 4.3.4; Adobe's own way). */
const FONT_MANGLING = /obfuscation|mangling|idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/i

/** Books, chapter by chapter in their order; scripts in them are passed over. */
export const readEpub: PaperKind = async (filename, writer, report) => {
  const zip = await openPaperZip(filename, writer.damaged)
  try {
    if (await isLocked(zip)) throw new PaperProblem('encrypted_document', 'its chapters are encrypted')
    const book = await bookOf(zip)
    const metadata = await textsOf(zip.pieces(book), ['title', 'creator', 'date'])
    report({ title: metadata.title ?? null, author: metadata.creator ?? null, createdAt: dateOf(metadata.date) })
    const silent: PictureSource[][] = []
    for (const chapter of await chaptersOf(zip, book)) {
      const titled = withTitles(writer, (source) => posix.join(posix.dirname(chapter), decoded(source)))
      await readPart(writer, chapter, () => readMarkup(zip.pieces(chapter), 'xhtml', titled.writer))
      silent.push(titled.pictures())
    }
    // a comic: all that it says is drawn
    if (writer.pages().length === 0) {
      for (const pictures of silent.filter((one) => one.length > 0)) {
        writer.page()
        for (const source of pictures) writer.picture(source)
      }
    }
  } finally {
    zip.close()
  }
}

type PictureSource = Parameters<PaperWriter['picture']>[0]

/** Begins a chapter with the first thing that it says, so that covers and empty pages are none; its first heading names it. */
function withTitles(
  writer: PaperWriter,
  nameOf: (source: string) => string,
): {
  writer: PaperWriter
  /** Pictures shown for a chapter without text. */
  pictures(): PictureSource[]
} {
  let hasStarted = false
  const before: PictureSource[] = []
  const startPage = () => {
    if (hasStarted) return
    writer.page()
    for (const source of before) writer.picture(source)
    hasStarted = true
  }
  const says = (text: string) => text.trim() !== ''
  return {
    pictures: () => (hasStarted ? [] : before),
    writer: {
      ...writer,
      heading: (level, text) => {
        if (!says(text)) return
        startPage()
        writer.name(text)
        writer.heading(level, text)
      },
      text: (text) => {
        if (!says(text)) return
        startPage()
        writer.text(text)
      },
      item: (text) => {
        if (!says(text)) return
        startPage()
        writer.item(text)
      },
      picture: (source) => {
        const picture = typeof source === 'string' ? nameOf(source) : source
        if (hasStarted) writer.picture(picture)
        else before.push(picture)
      },
      row: (cells) => {
        if (!cells.some(says)) return
        startPage()
        writer.row(cells)
      },
    },
  }
}

async function isLocked(zip: PaperZip): Promise<boolean> {
  let isSo = false
  await readElements(zip.pieces('META-INF/encryption.xml'), 'xml', {
    open: (element, { Algorithm }) => {
      if (localName(element) === 'EncryptionMethod' && !FONT_MANGLING.test(Algorithm ?? '')) isSo = true
    },
  })
  return isSo
}

/** The file with the book's contents. */
async function bookOf(zip: PaperZip): Promise<string> {
  let path = ''
  await readElements(zip.pieces('META-INF/container.xml'), 'xml', {
    open: (element, attributes) => {
      if (localName(element) === 'rootfile' && path === '') path = attributes['full-path'] ?? ''
    },
  })
  if (!zip.has(path)) throw new PaperProblem('damaged_document', 'it does not say what it holds')
  return path
}

async function chaptersOf(zip: PaperZip, book: string): Promise<string[]> {
  const files = new Map<string, string>()
  const order: string[] = []
  await readElements(zip.pieces(book), 'xml', {
    open: (element, { id, href, idref, 'media-type': type }) => {
      const name = localName(element)
      if (name === 'item' && id !== undefined && href !== undefined && /html|x-oeb1-document|dtbook/.test(type ?? ''))
        files.set(id, href)
      else if (name === 'itemref' && idref !== undefined) order.push(idref)
    },
  })
  return order.flatMap((id) => {
    const href = files.get(id)
    if (href === undefined) return []
    return posix.join(posix.dirname(book), decoded(href.split('#')[0] ?? ''))
  })
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
