import type { PaperParser } from '../paper-parser.ts'
import type { PaperWriter } from '../paper-writer.ts'
import { createTextCollector, readElements } from '../paper-xml.ts'
import { openPaperZip, type PaperZip } from '../paper-zip.ts'
import { attachEmbedded } from './embedded.ts'
import {
  coreFacts,
  isPicture,
  mainPart,
  notePicture,
  type Relations,
  readDrawings,
  readDrawnText,
  relationsOf,
} from './open-xml.ts'

/** Presentations of PowerPoint, slide by slide, with speaker notes. */
export const readSlides: PaperParser = async (filename, writer, report) => {
  const zip = await openPaperZip(filename, writer.damaged)
  try {
    report(await coreFacts(zip))
    const main = await mainPart(zip, 'ppt/presentation.xml')
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

/** Writes comments on a slide, in the formats of PowerPoint until 2021 and since. */
async function readComments(zip: PaperZip, name: string, writer: PaperWriter): Promise<void> {
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

async function readSlide(zip: PaperZip, name: string, writer: PaperWriter, pictures: Relations): Promise<void> {
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
      else if (isPicture(element) && fallbackDepth === 0) notePicture(pictures, attributes, writer)
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
