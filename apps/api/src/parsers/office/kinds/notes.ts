import { createReadStream } from 'node:fs'
import { setImmediate as giveWay } from 'node:timers/promises'
import { dateOf, type PaperKind } from '../paper-kind.ts'
import { type PaperWriter, readPart } from '../paper-writer.ts'
import { readElements } from '../paper-xml.ts'
import { checkbox, onlyOwnPictures, readMarkup } from './html.ts'
import { inPieces, writeAttached } from './mail.ts'

/** Characters of a note with its markup; what is behind them is left out. */
const MAX_CONTENT_CHARACTERS = 10_000_000
/** Characters of a file in base64; a larger one is named only. */
const MAX_FILE_CHARACTERS = 20 * 1024 * 1024
const MAX_FIELD_CHARACTERS = 2_000
const MAX_FILES = 100
const MAX_TAGS = 100

/** A note as it's read; texts are collected until its end, as their order varies. */
interface Note {
  title: string
  content: string
  author: string
  created: string
  address: string
  tags: string[]
  tasks: { title: string; isDone: boolean }[]
  files: { name: string; type: string; base64: string }[]
}

const emptyNote = (): Note => ({
  ...{ title: '', content: '', author: '', created: '', address: '' },
  ...{ tags: [], tasks: [], files: [] },
})

/** Notes as Evernote and other programs export them, one after the other; a single one is described as a document. */
export const readNotes: PaperKind = async (filename, writer, report) => {
  let note = emptyNote()
  const path: string[] = []
  const done: Note[] = []
  let count = 0

  const add = (text: string) => {
    const [parent, name] = path.slice(-2)
    const file = note.files.at(-1)
    const task = note.tasks.at(-1)
    const field = (before: string) => (before + text).slice(0, MAX_FIELD_CHARACTERS)
    if (name === 'content') note.content = (note.content + text).slice(0, MAX_CONTENT_CHARACTERS)
    else if (name === 'title' && parent === 'note') note.title = field(note.title)
    else if (name === 'created' && parent === 'note') note.created = field(note.created)
    else if (name === 'author') note.author = field(note.author)
    else if (name === 'source-url' && parent === 'note-attributes') note.address = field(note.address)
    else if (name === 'tag') note.tags.push(field(note.tags.pop() ?? ''))
    else if (parent === 'task' && task !== undefined && name === 'title') task.title = field(task.title)
    else if (parent === 'task' && task !== undefined && name === 'taskStatus')
      task.isDone ||= text.trim() === 'completed'
    else if (file === undefined) return
    else if (name === 'data' && file.base64.length <= MAX_FILE_CHARACTERS) file.base64 += text
    else if (name === 'mime') file.type = field(file.type)
    else if (name === 'file-name') file.name = field(file.name)
  }

  async function* piecesWithNotes(): AsyncGenerator<Uint8Array> {
    for await (const piece of createReadStream(filename)) {
      yield piece as Uint8Array
      for (const one of done.splice(0)) {
        count++
        report(count === 1 ? { title: one.title, author: one.author, createdAt: dateOf(isoTime(one.created)) } : {})
        await readPart(writer, one.title, () => writeNote(one, writer))
        await giveWay()
      }
    }
  }

  await readElements(piecesWithNotes(), 'xml', {
    open: (name) => {
      path.push(name)
      if (name === 'note') note = emptyNote()
      else if (name === 'tag' && note.tags.length < MAX_TAGS) note.tags.push('')
      else if (name === 'task') note.tasks.push({ title: '', isDone: false })
      else if (name === 'resource' && note.files.length < MAX_FILES) note.files.push({ name: '', type: '', base64: '' })
    },
    text: add,
    close: (name) => {
      path.pop()
      if (name === 'note') done.push(note)
    },
  })
}

async function writeNote(note: Note, writer: PaperWriter): Promise<void> {
  const title = note.title.trim()
  writer.page(title)
  writer.heading(1, title)
  writer.fields([
    ['created', dateOf(isoTime(note.created))?.toISOString() ?? ''],
    ['tags', note.tags.join(', ')],
    ['attachments', note.files.flatMap(({ name }) => name || []).join(', ')],
  ])
  await readPart(writer, 'content', () => readMarkup(inPieces(note.content), 'xhtml', onlyOwnPictures(writer)))
  for (const task of note.tasks) writer.item(checkbox(task.isDone) + task.title)
  writer.text(note.address)
  for (const { name, type, base64 } of note.files) {
    if (base64.length > MAX_FILE_CHARACTERS) {
      writer.damaged(name)
      continue
    }
    const content = Uint8Array.from(Buffer.from(base64, 'base64')).buffer
    const attachment = { filename: name || null, mimeType: type.trim(), disposition: 'attachment' as const, content }
    await readPart(writer, name, () => writeAttached(attachment, writer, 1))
  }
}

/** 20230120T204520Z → 2023-01-20T20:45:20Z */
const isoTime = (time: string) => time.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
