import type { DocumentParser } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { lockedDocumentError, openCompoundFile } from './compound-file.ts'

/** Types of records (MS-PPT 2.13.24). */
const SLIDE_LIST = 0x0ff0
const SLIDE_OF_LIST = 0x03f3
const NOTES = 0x03f0
const NOTES_ATOM = 0x03f1
const TEXT_KIND = 0x0f9f
const [WIDE_TEXT, NARROW_TEXT] = [0x0fa0, 0x0fa8]
const COMMENT_TEXT = 0x0fba
const COMMENT = 0x2ee0
/** Contains records unknown to PowerPoint 97. */
const TAG_DATA = 0x138b
/** Record instance of a comment's text; the other instances are its author's name and initials. */
const WRITTEN_COMMENT = 1
const [USER_EDIT, PERSIST_DIRECTORY] = [0x0ff5, 0x1772]
/** Kinds of slide lists. */
const [SLIDES, ALL_NOTES] = [0, 2]
/** Kinds of texts that are titles. */
const titleKinds = new Set([0, 6])
const bodyKinds = new Set([1, 5, 7, 8])
const [NOTE_KIND, OTHER_KIND] = [2, 4]
const LOCKED = 0xf3d1c4df
const WITH_95 = 'PP97_DUALSTORAGE/'
const MAX_EDITS = 1_000
const MAX_DEPTH = 30

interface PptRecord {
  type: number
  instance: number
  content: Buffer
  isContainer: boolean
}

/** Presentations of PowerPoint from 97 to 2003, slide by slide, with speaker notes. */
export const readOldSlides: DocumentParser = async (filename, writer, report) => {
  const { stream, facts } = await openCompoundFile(filename)
  // a file for PowerPoint 95 as well has a second presentation
  const folder = stream(`${WITH_95}Current User`) === null ? '' : WITH_95
  const [current, document] = [stream(`${folder}Current User`), stream(`${folder}PowerPoint Document`)]
  if (current === null || document === null || current.length < 20) {
    throw new DocumentError('damaged_document', 'it has no presentation')
  }
  if (current.readUInt32LE(12) === LOCKED) throw lockedDocumentError()
  report(facts)
  const { recordAt, mainId } = latestRecords(document, current.readUInt32LE(16))
  const main = recordAt(mainId)
  if (main === null) throw new DocumentError('damaged_document', "its slides can't be found")
  const lists = recordsIn(main.content).filter(({ type }) => type === SLIDE_LIST)
  const entriesOf = (kind: number) => lists.filter(({ instance }) => instance === kind).flatMap(entriesOfList)
  const notes = new Map<number, PptRecord>()
  for (const { id } of entriesOf(ALL_NOTES)) {
    const record = recordAt(id)
    const slideId =
      record &&
      recordsIn(record.content)
        .find(({ type }) => type === NOTES_ATOM)
        ?.content.readUInt32LE(0)
    if (record?.type === NOTES && slideId != null) notes.set(slideId, record)
  }
  for (const { id, slideId, texts } of entriesOf(SLIDES)) {
    writer.page()
    const slide = recordAt(id)
    writeTexts([...texts, ...(slide === null ? [] : textsIn(slide))], writer)
    const note = notes.get(slideId)
    if (note !== undefined) writeTexts([...textsIn(note)], writer, NOTE_KIND)
  }
}

/** Slides of a list, each with the texts of its placeholders. */
function entriesOfList(list: PptRecord): { id: number; slideId: number; texts: PptRecord[] }[] {
  const entries: { id: number; slideId: number; texts: PptRecord[] }[] = []
  for (const record of recordsIn(list.content)) {
    if (record.type !== SLIDE_OF_LIST) entries.at(-1)?.texts.push(record)
    else {
      const [id, slideId] = [record.content.readUInt32LE(0), record.content.readUInt32LE(12)]
      entries.push({ id, slideId, texts: [] })
    }
  }
  return entries
}

/** @param kind texts of other kinds are left out, as notes repeat their slide's number and date. */
function writeTexts(records: PptRecord[], writer: DocumentWriter, kind?: number): void {
  let textKind = OTHER_KIND
  for (const { type, content } of records) {
    if (type === TEXT_KIND) textKind = content.readUInt32LE(0)
    else if (type === COMMENT_TEXT || type === WIDE_TEXT || type === NARROW_TEXT) {
      if (kind !== undefined && textKind !== kind) continue
      const text = content.toString(type === NARROW_TEXT ? 'latin1' : 'utf16le')
      // placeholder of a slide's number
      if (text === '*') continue
      for (const line of text.split('\r'))
        writeLine(line.replaceAll('\v', '\n'), type === COMMENT_TEXT ? OTHER_KIND : textKind, writer)
    }
  }
}

function writeLine(line: string, textKind: number, writer: DocumentWriter): void {
  if (titleKinds.has(textKind)) {
    writer.heading(1, line)
    if (line.trim() !== '') writer.name(line)
  } else if (bodyKinds.has(textKind)) writer.item(line)
  else writer.text(line)
}

/** Newest versions of a presentation's parts: saving only appends changes. */
function latestRecords(document: Buffer, newestEditOffset: number) {
  const offsets = new Map<number, number>()
  let mainId = 0
  let editOffset = newestEditOffset
  for (let edits = 0; edits < MAX_EDITS; edits++) {
    const edit = recordOf(document, editOffset)
    if (edit?.type !== USER_EDIT) break
    if (edits === 0) mainId = edit.content.readUInt32LE(16)
    const list = recordOf(document, edit.content.readUInt32LE(12))
    if (list?.type === PERSIST_DIRECTORY) {
      for (let position = 0; position + 4 <= list.content.length; ) {
        const first = list.content.readUInt32LE(position)
        position += 4
        for (let n = 0; n < first >>> 20 && position + 4 <= list.content.length; n++, position += 4) {
          const id = (first & 0xfffff) + n
          if (!offsets.has(id)) offsets.set(id, list.content.readUInt32LE(position))
        }
      }
    }
    const previousOffset = edit.content.readUInt32LE(8)
    if (previousOffset === 0 || previousOffset >= editOffset) break
    editOffset = previousOffset
  }
  return { mainId, recordAt: (id: number) => recordOf(document, offsets.get(id) ?? document.length) }
}

function recordOf(bytes: Buffer, offset: number): PptRecord | null {
  if (offset + 8 > bytes.length) return null
  const version = bytes.readUInt16LE(offset)
  return {
    type: bytes.readUInt16LE(offset + 2),
    instance: version >>> 4,
    content: bytes.subarray(offset + 8, offset + 8 + bytes.readUInt32LE(offset + 4)),
    isContainer: (version & 0xf) === 0xf,
  }
}

function recordsIn(bytes: Buffer): PptRecord[] {
  const records: PptRecord[] = []
  for (let offset = 0, record = recordOf(bytes, 0); record !== null; record = recordOf(bytes, offset)) {
    records.push(record)
    offset += 8 + record.content.length
  }
  return records
}

/** Text records inside a slide, in order; of a comment, only its text. */
function* textsIn(record: PptRecord, depth = 0): Generator<PptRecord> {
  if (depth > MAX_DEPTH) return
  for (const inner of recordsIn(record.content)) {
    if (inner.type === COMMENT) {
      const text = recordsIn(inner.content).find(
        ({ type, instance }) => type === COMMENT_TEXT && instance === WRITTEN_COMMENT,
      )
      if (text !== undefined) yield text
    } else if (inner.isContainer || inner.type === TAG_DATA) yield* textsIn(inner, depth + 1)
    else if ([TEXT_KIND, WIDE_TEXT, NARROW_TEXT].includes(inner.type)) yield inner
  }
}
