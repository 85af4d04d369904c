import { posix } from 'node:path'
import { type DocumentParser, dateOf } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import { type DocumentWriter, readPart } from '../document-writer.ts'
import { readElements } from '../document-xml.ts'
import { type DocumentZip, openDocumentZip } from '../document-zip.ts'
import { readMarkup } from './html.ts'
import { localName, textsOf } from './open-xml.ts'

/** Encryption of fonts, also in books that anyone may read (EPUB 3.3, 4.3.4, and Adobe's method). */
const FONT_MANGLING = /obfuscation|mangling|idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/i

/** Books, chapter by chapter in their order; scripts are skipped. */
export const readEpub: DocumentParser = async (filename, writer, report) => {
  const zip = await openDocumentZip(filename, writer.markDamaged)
  try {
    if (await isLocked(zip)) throw new DocumentError('encrypted_document', 'its chapters are encrypted')
    const book = await bookOf(zip)
    const { title, date } = await textsOf(zip.pieces(book), ['title', 'date'])
    const { chapters, authors, isFixed } = await contentsOf(zip, book)
    report({ title: title ?? null, author: authors.join(', ') || null, createdAt: dateOf(date) })
    const drawnPages: PictureSource[][] = []
    const addDrawn = (pictures: PictureSource[]) => {
      writer.page()
      for (const source of pictures) writer.picture(source)
    }
    for (const { markup, picture } of chapters) {
      const chapter = withTitles(writer, (source) => posix.join(posix.dirname(markup ?? ''), decodeHref(source)))
      if (picture !== null) chapter.writer.picture(posix.relative(posix.dirname(markup ?? ''), encodeURI(picture)))
      if (markup !== null) await readPart(writer, markup, () => readMarkup(zip.pieces(markup), 'xhtml', chapter.writer))
      const pictures = chapter.pictures()
      if (pictures.length === 0) continue
      // Pages with a fixed layout are shown as printed.
      if (isFixed) addDrawn(pictures)
      else drawnPages.push(pictures)
    }
    // Drawn pages are only added for a comic, which consists almost entirely of them. In a short book, they're the cover and the
    // title, which would be read after the text.
    if (drawnPages.length > MIN_DRAWN_RATIO * writer.pages().length)
      for (const pictures of drawnPages) addDrawn(pictures)
  } finally {
    zip.close()
  }
}

/** Number of drawn pages per page with text above which a book counts as a comic. */
const MIN_DRAWN_RATIO = 4

type PictureSource = Parameters<DocumentWriter['picture']>[0]

/**
 * Writer of a chapter, which starts with its first text, so that covers and empty pages aren't chapters. Its first heading names it.
 */
function withTitles(
  writer: DocumentWriter,
  nameOf: (source: string) => string,
): {
  writer: DocumentWriter
  /** Pictures shown for a chapter without text. */
  pictures(): PictureSource[]
} {
  let hasStarted = false
  const earlierPictures: PictureSource[] = []
  const startPage = () => {
    if (hasStarted) return
    writer.page()
    for (const source of earlierPictures) writer.picture(source)
    hasStarted = true
  }
  const hasText = (text: string) => text.trim() !== ''
  return {
    pictures: () => (hasStarted ? [] : earlierPictures),
    writer: {
      ...writer,
      heading: (level, text) => {
        if (!hasText(text)) return
        startPage()
        writer.name(text)
        writer.heading(level, text)
      },
      text: (text) => {
        if (!hasText(text)) return
        startPage()
        writer.text(text)
      },
      item: (text) => {
        if (!hasText(text)) return
        startPage()
        writer.item(text)
      },
      picture: (source) => {
        const picture = typeof source === 'string' ? nameOf(source) : source
        if (hasStarted) writer.picture(picture)
        else earlierPictures.push(picture)
      },
      row: (cells) => {
        if (!cells.some(hasText)) return
        startPage()
        writer.row(cells)
      },
    },
  }
}

async function isLocked(zip: DocumentZip): Promise<boolean> {
  let isEncrypted = false
  await readElements(zip.pieces('META-INF/encryption.xml'), 'xml', {
    open: (element, { Algorithm }) => {
      if (localName(element) === 'EncryptionMethod' && !FONT_MANGLING.test(Algorithm ?? '')) isEncrypted = true
    },
  })
  return isEncrypted
}

/** Path of the book's package document. */
async function bookOf(zip: DocumentZip): Promise<string> {
  let path = ''
  await readElements(zip.pieces('META-INF/container.xml'), 'xml', {
    open: (element, attributes) => {
      if (localName(element) === 'rootfile' && path === '') path = attributes['full-path'] ?? ''
    },
  })
  if (!zip.has(path)) throw new DocumentError('damaged_document', "it doesn't state its contents")
  return path
}

/** Alternative files of a chapter. */
interface Chapter {
  markup: string | null
  picture: string | null
}

const MARKUP = /html|x-oeb1-document|dtbook|svg/
const PICTURE = /^image\//
const MAX_FALLBACKS = 10

async function contentsOf(
  zip: DocumentZip,
  book: string,
): Promise<{ chapters: Chapter[]; authors: string[]; isFixed: boolean }> {
  const files = new Map<string, { href: string; type: string; fallback: string | undefined }>()
  const order: string[] = []
  const creators: { id: string | undefined; role: string; name: string }[] = []
  const roles = new Map<string, string>()
  /** Id of the creator whose role is being read. */
  let refined: string | null = null
  let isAuthor = false
  let isLayout = false
  let isFixed = false
  await readElements(zip.pieces(book), 'xml', {
    open: (element, attributes) => {
      const { id, href, idref, fallback, 'media-type': type = '' } = attributes
      const name = localName(element)
      isAuthor = name === 'creator'
      isLayout = name === 'meta' && attributes.property === 'rendition:layout'
      isFixed ||= name === 'meta' && attributes.name === 'fixed-layout' && attributes.content === 'true'
      if (isAuthor) creators.push({ id, role: attributes['opf:role'] ?? attributes.role ?? '', name: '' })
      const isRole = name === 'meta' && attributes.property === 'role'
      refined = isRole ? (attributes.refines ?? '').replace('#', '') : null
      if (name === 'item' && id !== undefined && href !== undefined) files.set(id, { href, type, fallback })
      else if (name === 'itemref' && idref !== undefined) order.push(idref)
    },
    text: (text) => {
      const creator = isAuthor ? creators.at(-1) : undefined
      if (creator !== undefined) creator.name += text
      if (refined !== null) roles.set(refined, (roles.get(refined) ?? '') + text)
      isFixed ||= isLayout && text.trim() === 'pre-paginated'
    },
    close: () => {
      isAuthor = false
      isLayout = false
      refined = null
    },
  })
  const chapters = order.map((first): Chapter => {
    const chain: { href: string; type: string }[] = []
    let next = files.get(first)
    while (next !== undefined && chain.length < MAX_FALLBACKS) {
      chain.push(next)
      next = files.get(next.fallback ?? '')
    }
    const markupIndex = chain.findIndex(({ type }) => MARKUP.test(type))
    const pathOf = (file: { href: string } | undefined) =>
      file === undefined ? null : posix.join(posix.dirname(book), decodeHref(file.href.split('#')[0] ?? ''))
    const picture = chain.slice(0, markupIndex < 0 ? undefined : markupIndex).find(({ type }) => PICTURE.test(type))
    return { markup: pathOf(chain[markupIndex]), picture: pathOf(picture) }
  })
  // Illustrators and other contributors count only when no author is named.
  const isOther = ({ id, role }: (typeof creators)[number]) =>
    !['', 'aut'].includes((role || (roles.get(id ?? '') ?? '')).trim())
  const authors = creators.every(isOther) ? creators : creators.filter((creator) => !isOther(creator))
  const names = authors.map(({ name }) => name.replaceAll(/\s+/g, ' ').trim())
  return { chapters, authors: [...new Set(names)].filter(Boolean), isFixed }
}

function decodeHref(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
