import { createReadStream } from 'node:fs'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { appendUncut, cutText } from '@mira/shared/constants/cut-text'
import { type DocumentParser, dateOf } from '../document-parser.ts'
import { type DocumentWriter, readPart } from '../document-writer.ts'
import { readElements } from '../document-xml.ts'
import { checkbox, inPieces, readMarkup, withOwnPicturesOnly } from './html.ts'
import { writeAttached } from './mail.ts'

/** Limit of a note with its markup; the rest is left out. */
const MAX_CONTENT_CHARACTERS = 10_000_000
/** Limit of a file in base64; a larger one is only named. */
const MAX_FILE_CHARACTERS = 20 * 1024 * 1024
/** Limit of all files of a note, which are in memory at the same time; others are only named. */
const MAX_ALL_FILES_BYTES = 32 * 1024 * 1024
const MAX_FIELD_CHARACTERS = 2_000
const MAX_FILES = 100
const MAX_TAGS = 100
const MAX_TASKS = 10_000

/** A note being read; texts are collected until its end, as their order varies, and cut then. */
interface Note {
  title: string
  content: string
  author: string
  created: string
  sourceUrl: string
  tags: string[]
  tasks: Task[]
  files: NoteFile[]
  fileBytes: number
}

interface Task {
  title: string
  status: string
}

interface NoteFile {
  name: string
  type: string
  /** Null until its end, and for a file that is too large or truncated. */
  content: Uint8Array<ArrayBuffer> | null
}

const emptyNote = (): Note => ({
  ...{ title: '', content: '', author: '', created: '', sourceUrl: '' },
  ...{ tags: [], tasks: [], files: [], fileBytes: 0 },
})

const cutField = (text: string) => cutText(text, MAX_FIELD_CHARACTERS)

/** A note with its texts cut to their limits. */
const cutNote = (note: Note): Note => ({
  ...note,
  title: cutField(note.title),
  content: cutText(note.content, MAX_CONTENT_CHARACTERS),
  author: cutField(note.author),
  created: cutField(note.created),
  sourceUrl: cutField(note.sourceUrl),
  tags: note.tags.map(cutField),
  tasks: note.tasks.map(({ title, status }) => ({ title: cutField(title), status: cutField(status) })),
  files: note.files.map((file) => ({ ...file, name: cutField(file.name), type: cutField(file.type) })),
})

/** Notes as Evernote and other programs export them, one after the other; a single one provides the metadata. */
export const readNotes: DocumentParser = async (filename, writer, report) => {
  let note = emptyNote()
  // Each is null outside of its element, and beyond the limits.
  let tag: string | null = null
  let task: Task | null = null
  let file: NoteFile | null = null
  let base64 = ''
  let isEnded = false
  const path: string[] = []
  const finished: Note[] = []
  let count = 0

  const add = (text: string) => {
    const [parent, name] = path.slice(-2)
    const field = (before: string) => appendUncut(before, text, MAX_FIELD_CHARACTERS)
    if (name === 'content') note.content = appendUncut(note.content, text, MAX_CONTENT_CHARACTERS)
    else if (name === 'title' && parent === 'note') note.title = field(note.title)
    else if (name === 'created' && parent === 'note') note.created = field(note.created)
    else if (name === 'author') note.author = field(note.author)
    else if (name === 'source-url' && parent === 'note-attributes') note.sourceUrl = field(note.sourceUrl)
    else if (name === 'tag' && tag !== null) tag = field(tag)
    else if (parent === 'task' && task !== null && name === 'title') task.title = field(task.title)
    else if (parent === 'task' && task !== null && name === 'taskStatus') task.status = field(task.status)
    else if (file === null) return
    else if (name === 'data' && base64.length <= MAX_FILE_CHARACTERS) base64 += text
    else if (name === 'mime') file.type = field(file.type)
    else if (name === 'file-name') file.name = field(file.name)
  }

  const closeFile = () => {
    if (file !== null && !isEnded && base64.length <= MAX_FILE_CHARACTERS) {
      const content = Buffer.from(base64, 'base64')
      if (note.fileBytes + content.length <= MAX_ALL_FILES_BYTES) {
        note.fileBytes += content.length
        file.content = new Uint8Array(content)
      }
    }
    file = null
    base64 = ''
  }

  async function writeFinished(): Promise<void> {
    for (const one of finished.splice(0)) {
      count++
      report(count === 1 ? { title: one.title, author: one.author, createdAt: dateOf(isoTime(one.created)) } : {})
      await readPart(writer, one.title, () => writeNote(one, writer))
      await yieldToEventLoop()
    }
  }

  async function* piecesWithNotes(): AsyncGenerator<Uint8Array> {
    for await (const piece of createReadStream(filename)) {
      yield piece as Uint8Array
      await writeFinished()
    }
    isEnded = true
  }

  await readElements(piecesWithNotes(), 'xml', {
    open: (name) => {
      path.push(name)
      if (name === 'note') note = emptyNote()
      else if (name === 'tag') tag = note.tags.length < MAX_TAGS ? '' : null
      else if (name === 'task' && note.tasks.length < MAX_TASKS) {
        task = { title: '', status: '' }
        note.tasks.push(task)
      } else if (name === 'resource' && note.files.length < MAX_FILES) {
        file = { name: '', type: '', content: null }
        note.files.push(file)
      }
    },
    text: add,
    close: (name) => {
      path.pop()
      if (name === 'note') finished.push(cutNote(note))
      else if (name === 'tag' && tag !== null) note.tags.push(tag)
      else if (name === 'task') task = null
      else if (name === 'resource') closeFile()
    },
  })
  // a note that only the end of the file closes was truncated
  for (const { title } of finished) writer.markDamaged(title)
  await writeFinished()
}

async function writeNote(note: Note, writer: DocumentWriter): Promise<void> {
  const title = note.title.trim()
  writer.page(title)
  writer.heading(1, title)
  writer.fields([
    ['created', dateOf(isoTime(note.created))?.toISOString() ?? ''],
    ['tags', note.tags.join(', ')],
    ['attachments', note.files.flatMap(({ name }) => name || []).join(', ')],
  ])
  await readPart(writer, 'content', () => readMarkup(inPieces(note.content), 'xhtml', withOwnPicturesOnly(writer)))
  for (const task of note.tasks) writer.item(checkbox(task.status.trim() === 'completed') + task.title)
  writer.text(note.sourceUrl)
  for (const { name, type, content } of note.files) {
    if (content === null) {
      writer.markDamaged(name)
      continue
    }
    const attachment = {
      ...{ filename: name || null, mimeType: type.trim(), disposition: 'attachment' as const },
      content: content.buffer,
    }
    await readPart(writer, name, () => writeAttached(attachment, writer, 1))
  }
}

/** 20230120T204520Z → 2023-01-20T20:45:20Z */
const isoTime = (time: string) => time.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
