import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { CreateNote, MediaItem, Note, NoteChanges } from '@mira/shared'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'
import type { UnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { titleFileName } from '../../../platform/lib/title-file-name.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import type { UploadService } from '../upload/upload.service.ts'

/** File of a note. */
interface StoredNote {
  path: string
  sha256: string
  updatedAt: Date
}

/** New file of a note. */
interface NewNoteFile {
  sha256: string
  path: string
  sizeBytes: number
  originalFilename: string
  reservationId: string
}

/** File of a user's note; null when the item isn't the user's, or not a note. */
function findNote({ prisma }: Database, userId: string, id: string): Promise<StoredNote | null> {
  return prisma.mediaItem.findUnique({
    where: { id, userId, sourceKind: 'note' },
    select: { path: true, sha256: true, updatedAt: true },
  })
}

/**
 * Replaces the file of a note and drops the user's corrections of its previous text.
 * @param previousHash hash of the file to replace.
 * @param alongside runs in the same transaction.
 * @returns `same` when another item has the same content; `changed` when the note got another file or was deleted meanwhile.
 */
async function replaceNote(
  { prisma }: Database,
  userId: string,
  { id, previousHash }: { id: string; previousHash: string },
  { reservationId, ...file }: NewNoteFile,
  alongside: (tx: Prisma.TransactionClient) => Promise<void>,
): Promise<'stored' | 'same' | 'changed'> {
  try {
    return await prisma.$transaction(async (tx) => {
      const where = { id, userId, sourceKind: 'note', sha256: previousHash } as const
      const { count } = await tx.mediaItem.updateMany({ where, data: file })
      if (count === 0) return 'changed'
      await tx.moment.deleteMany({ where: { mediaItemId: id, kind: 'text', lockedAt: { not: null } } })
      await tx.unreferencedFile.deleteMany({ where: { id: reservationId } })
      await alongside(tx)
      return 'stored'
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return 'same'
    throw error
  }
}

interface NotesDeps {
  database: Database
  uploads: UploadService
  files: Files
  unreferencedFiles: UnreferencedFiles
  processing: ProcessingService
  queue: Queue
  events: Events
}

/** Author of a note. */
interface NoteWriter {
  userId: string
  countsInAnalytics: boolean
}

export type NotesService = ReturnType<typeof createNotesService>

/** Maximum wait until search finds a note, which is already stored. */
const WAIT_SECONDS = 10

/** Notes: Markdown files that users write and edit. */
export function createNotesService({
  database,
  uploads,
  files,
  unreferencedFiles,
  processing,
  queue,
  events,
}: NotesDeps) {
  const notFound = () => new NotFoundError('This note no longer exists.')

  const read = async (userId: string, id: string): Promise<Note> => {
    const note = await findNote(database, userId, id)
    if (note === null) throw notFound()
    const { stream } = await files.open(note.path)
    const parts = partsOf((await buffer(stream)).toString('utf8'))
    return { id, ...parts, sha256: note.sha256, updated_at: note.updatedAt }
  }

  const add = async ({ userId, countsInAnalytics }: NoteWriter, note: CreateNote) => {
    const content = contentOf(note)
    return uploads.admit(userId, content.byteLength, async () => {
      const file = await uploads.receive(content)
      const options = { generate_caption: false, extract_text: true, keep_place: false, wait: 0 }
      const source = { kind: 'note' } as const
      return uploads.accept({ userId, name: noteName(note.title), file, countsInAnalytics, source }, options)
    })
  }

  return {
    read,

    /** Stores a note; returns the existing item when the user already has the content. @throws the errors of an upload. */
    add,

    /** Like `add`, but waits briefly until searches find the note. */
    async create(writer: NoteWriter, note: CreateNote, signal: AbortSignal) {
      const { item, outcome } = await uploads.result(writer.userId, await add(writer, note), {
        wait: WAIT_SECONDS,
        signal,
      })
      return { item, isNew: outcome !== 'known' }
    },

    /**
     * Replaces a note's file and processes it again.
     * @throws NotFoundError; ConflictError when another item has the same content, or the note was changed meanwhile;
     * StorageFullError.
     */
    async change(userId: string, id: string, changes: NoteChanges, signal: AbortSignal): Promise<MediaItem> {
      const { title, text, sha256: previousHash } = await read(userId, id)
      const changedElsewhere = () =>
        new ConflictError('This note was changed elsewhere in the meantime. Reload it before you save.', {
          code: 'note_changed',
        })
      const note = { title: changes.title ?? title, text: changes.text ?? text }
      const content = contentOf(note)
      const resultOf = async () => {
        const { item } = await uploads.result(userId, { id, isNew: true }, { wait: WAIT_SECONDS, signal })
        return item
      }
      // The content is stored already when a device tries again because it didn't get the response to its first attempt.
      if (createHash('sha256').update(content).digest('hex') === previousHash) return resultOf()
      if (previousHash !== (changes.based_on ?? previousHash)) throw changedElsewhere()
      await uploads.admit(userId, content.byteLength, async () => {
        const file = await uploads.receive(content)
        try {
          const reservationId = await unreferencedFiles.reserve(files.pathOf(userId, file.sha256))
          const { path, sha256, sizeBytes } = await file.store(userId)
          const newFile = { path, sha256, sizeBytes, originalFilename: noteName(note.title), reservationId }
          // All other steps follow from `inspect`.
          const outcome = await replaceNote(database, userId, { id, previousHash }, newFile, (tx) =>
            processing.reprocessIn(tx, userId, id, ['inspect']),
          )
          if (outcome === 'changed')
            throw (await findNote(database, userId, id)) === null ? notFound() : changedElsewhere()
          if (outcome === 'same') {
            const trashed = await database.prisma.mediaItem.findFirst({ where: { trashedFrom: userId, sha256 } })
            if (trashed === null)
              throw new ConflictError('Another of your items has exactly the same content.', { code: 'same_content' })
            throw new ConflictError(
              `“${trashed.originalFilename}” in the trash has exactly the same content. Restore it or delete it for good first.`,
              { code: 'same_content_in_trash' },
            )
          }
        } catch (error) {
          await file.discard()
          throw error
        }
      })
      await queue.enqueue('delete-files', { loose: true })
      events.publish(userId, { type: 'media.updated', ids: [id] })
      return resultOf()
    },
  }
}

function noteName(title: string): string {
  return titleFileName(title, 'md', 'Note')
}

/** File of a note: the title is the first heading. */
function contentOf({ title, text }: CreateNote): Buffer {
  return Buffer.from(
    `# ${title.replaceAll(/\s+/g, ' ')}\n\n${text.replaceAll(/\r\n?/g, '\n').trimEnd()}\n`.toWellFormed(),
  )
}

function partsOf(content: string): { title: string; text: string } {
  const [, title = '', text = ''] = /^# ([^\n]*)\n\n?([\s\S]*)$/.exec(content) ?? [null, '', content]
  return { title, text: text.replace(/\n$/, '') }
}
