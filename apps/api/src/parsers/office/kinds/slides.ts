import type { DocumentParser } from '../document-parser.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { createTextCollector, readElements } from '../document-xml.ts'
import { type DocumentZip, openDocumentZip } from '../document-zip.ts'
import { attachEmbedded } from './embedded.ts'
import {
  coreFacts,
  isPicture,
  mainPartPath,
  type Relations,
  readDrawings,
  readDrawnText,
  relationsOf,
  writePicture,
} from './open-xml.ts'

/** Reader of PowerPoint presentations, slide by slide, with speaker notes. */
export const readSlides: DocumentParser = async (filename, writer, report) => {
  const zip = await openDocumentZip(filename, writer.markDamaged)
  try {
    report(await coreFacts(zip))
    const main = await mainPartPath(zip, 'ppt/presentation.xml')
    const relations = await relationsOf(zip, main)
    const slides: string[] = []
    await readElements(zip.pieces(main), 'xml', {
      open: (element, attributes) => {
        const relation = element === 'p:sldId' ? relations.get(attributes['r:id'] ?? '') : undefined
        if (relation?.type === 'slide') slides.push(relation.target)
      },
    })
    for (const slide of slides) {
      writer.page()
      const slideRelations = await relationsOf(zip, slide)
      await readSlide(zip, slide, writer, slideRelations)
      await readDrawings(zip, slideRelations, writer)
      await attachEmbedded(zip, slideRelations, writer)
      for (const { type, target } of slideRelations.values())
        if (type === 'comments') await readComments(zip, target, writer)
      const notes = [...slideRelations.values()].find(({ type }) => type === 'notesSlide')
      if (notes !== undefined) await readSlide(zip, notes.target, writer, new Map())
    }
  } finally {
    zip.close()
  }
}

/** Writes the comments on a slide, in PowerPoint's formats before and since 2021. */
async function readComments(zip: DocumentZip, name: string, writer: DocumentWriter): Promise<void> {
  await readDrawnText(zip, name, writer)
  const comment = createTextCollector((text) => writer.text(text))
  await readElements(zip.pieces(name), 'xml', {
    open: (element) => {
      if (element === 'p:text') comment.begin()
    },
    text: (text) => comment.add(text),
    close: (element) => {
      if (element === 'p:text') writer.text(comment.end())
    },
  })
}

/** Placeholders whose text is the same on every slide. */
const repeatedPlaceholders = new Set(['sldNum', 'dt', 'ftr', 'hdr'])

async function readSlide(zip: DocumentZip, name: string, writer: DocumentWriter, pictures: Relations): Promise<void> {
  let placeholder = ''
  let isHidden = false
  let fallbackDepth = 0
  let isText = false
  let row: string[] | null = null
  let cell: string[] = []
  const paragraph = createTextCollector((text) => writer.text(text))
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (element === 'mc:Fallback') fallbackDepth++
      else if (element === 'p:sp') placeholder = ''
      else if (element === 'p:ph') {
        placeholder = attributes.type ?? 'body'
        isHidden = repeatedPlaceholders.has(placeholder)
      } else if (element === 'a:tr') row = []
      else if (element === 'a:tc') cell = []
      else if (element === 'a:p' && !isHidden && fallbackDepth === 0) paragraph.begin()
      else if (element === 'a:t' || element === 'm:t') isText = true
      else if (element === 'a:br') paragraph.add('\n')
      else if (isPicture(element) && fallbackDepth === 0) writePicture(pictures, attributes, writer)
    },
    text: (text) => {
      if (isText) paragraph.add(text)
    },
    close: (element) => {
      if (element === 'mc:Fallback') fallbackDepth--
      else if (element === 'a:t' || element === 'm:t') isText = false
      else if (element === 'p:sp') {
        placeholder = ''
        isHidden = false
      } else if (element === 'a:p') {
        const text = paragraph.end()
        if (row !== null) cell.push(text)
        else if (/^(?:title|ctrTitle)$/.test(placeholder)) {
          writer.heading(1, text)
          if (text.trim() !== '') writer.name(text)
        } else if (placeholder === 'body') writer.item(text)
        else writer.text(text)
      } else if (element === 'a:tc') row?.push(cell.filter(Boolean).join('\n'))
      else if (element === 'a:tr') {
        writer.row(row ?? [])
        row = null
      }
    },
  })
}
