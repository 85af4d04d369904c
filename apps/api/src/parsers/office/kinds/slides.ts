import type { PaperKind } from '../paper-kind.ts'
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

/** Presentations of PowerPoint, slide by slide, with what their speaker noted. */
export const readSlides: PaperKind = async (filename, writer, report) => {
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
      const beside = await relationsOf(zip, slide)
      await readSlide(zip, slide, writer, beside)
      await readDrawings(zip, beside, writer)
      await attachEmbedded(zip, beside, writer)
      for (const { type, target } of beside.values()) if (type === 'comments') await readComments(zip, target, writer)
      const notes = [...beside.values()].find(({ type }) => type === 'notesSlide')
      if (notes !== undefined) await readSlide(zip, notes.target, writer, new Map())
    }
  } finally {
    zip.close()
  }
}

/** Writes comments on a slide, as PowerPoint kept them until 2021 and as it does since. */
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

/** Text that is the same on every slide. */
const passedOver = new Set(['sldNum', 'dt', 'ftr', 'hdr'])

async function readSlide(zip: PaperZip, name: string, writer: PaperWriter, pictures: Relations): Promise<void> {
  let holder = ''
  let isHidden = false
  let isOlder = 0
  let isText = false
  let row: string[] | null = null
  let cell: string[] = []
  const paragraph = createTextCollector((text) => writer.text(text))
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (element === 'mc:Fallback') isOlder++
      else if (element === 'p:sp') holder = ''
      else if (element === 'p:ph') {
        holder = attributes.type ?? 'body'
        isHidden = passedOver.has(holder)
      } else if (element === 'a:tr') row = []
      else if (element === 'a:tc') cell = []
      else if (element === 'a:p' && !isHidden && isOlder === 0) paragraph.begin()
      else if (element === 'a:t' || element === 'm:t') isText = true
      else if (element === 'a:br') paragraph.add('\n')
      else if (isPicture(element) && isOlder === 0) notePicture(pictures, attributes, writer)
    },
    text: (text) => {
      if (isText) paragraph.add(text)
    },
    close: (element) => {
      if (element === 'mc:Fallback') isOlder--
      else if (element === 'a:t' || element === 'm:t') isText = false
      else if (element === 'p:sp') {
        holder = ''
        isHidden = false
      } else if (element === 'a:p') {
        const text = paragraph.end()
        if (row !== null) cell.push(text)
        else if (/^(?:title|ctrTitle)$/.test(holder)) {
          writer.heading(1, text)
          if (text.trim() !== '') writer.name(text)
        } else if (holder === 'body') writer.item(text)
        else writer.text(text)
      } else if (element === 'a:tc') row?.push(cell.filter(Boolean).join('\n'))
      else if (element === 'a:tr') {
        writer.row(row ?? [])
        row = null
      }
    },
  })
}
