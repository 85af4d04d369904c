import { readFile } from 'node:fs/promises'
import {
  bringsMedia,
  type ChatImportSource,
  isServerSource,
  type MediaImportSource,
  type Sentence,
  type ServerImportSource,
  say,
  type UserEventJson,
} from '@mira/shared'
import type {
  ChatArchives,
  ReadArchive,
  ReadBelonging,
  ReadConversation,
} from '../../adapters/chat-archives/chat-archives.ts'
import type { Files } from '../../adapters/files/files.ts'
import type { UseScratch } from '../../adapters/files/scratch.ts'
import type { ArchivedFile, LeftOutReason, MediaArchives } from '../../adapters/media-archives/media-archives.ts'
import type { PhotoServers, ServedFile } from '../../adapters/photo-servers/photo-servers.ts'
import type { Seal } from '../../adapters/sealing.ts'
import type { SqlTransaction } from '../../db/sql.ts'
import { AppError, NotFoundError, UnavailableError, ValidationError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { leaveOut } from './import-failures.ts'
import type { ImportCounts, ImportRow, ImportsStore } from './imports.store.ts'
import type { createMediaBringing, GivenItem, MediaSource } from './media-bringing.ts'

/** A conversation as the chat takes it over. */
interface GivenConversation {
  title: string
  createdAt: Date | null
  updatedAt: Date | null
  currentId: string | null
  tags?: string[] | undefined
  isArchived?: boolean | undefined
  projectId?: string | null
  personaId?: string | null
  messages: {
    id: string
    parentId: string | null
    role: 'user' | 'assistant'
    content: string
    createdAt: Date | null
    model: string | null
    reasoning: string | null
    pictures: { name: string; read(): Promise<Buffer<ArrayBuffer>> }[]
  }[]
}

export interface ImportRunnerDeps {
  store: ImportsStore
  files: Pick<Files, 'useLocal'>
  archives: Pick<ChatArchives, 'read'>
  mediaArchives: Pick<MediaArchives, 'read' | 'unpack'>
  photoServers: Record<ServerImportSource, PhotoServers>
  /** Opens the keys of servers. */
  seal: Pick<Seal, 'open'>
  mediaBringing: ReturnType<typeof createMediaBringing>
  /** The largest file that becomes an item. */
  maxFileBytes(): number
  useScratch: UseScratch
  /** Stores a conversation of elsewhere, whole or not at all, and in the same transaction what stands beside it. */
  takeOver(
    userId: string,
    given: GivenConversation,
    alongside: (sql: SqlTransaction, sessionId: string) => Promise<boolean>,
  ): Promise<{ refused: { name: string; reason: AppError }[] } | null>
  /** Makes projects, personas and prompts of an export the person's own; the id of one, null when it is none. */
  bringBelonging: Record<
    ReadBelonging['kind'],
    (userId: string, given: Record<string, unknown>) => Promise<string | null>
  >
  removeLooseFiles(): Promise<void>
  publish(userId: string, event: UserEventJson): void
  log: Log
}

export type ImportRunner = ReturnType<typeof createImportRunner>

/** How often it is kept, and told, how far one is; as often it is looked whether it was cancelled. */
const PROGRESS_PAUSE_MS = 500
const KNOWN_AT_ONCE = 200

/** Brings what an import holds, one thing after the other; begun again, it goes on where it was. */
export function createImportRunner(deps: ImportRunnerDeps) {
  const { store, files, archives, mediaArchives, mediaBringing, useScratch, log } = deps

  const tell = ({ userId, id }: ImportRow, state: ImportRow['state']) =>
    deps.publish(userId, { type: 'import.progress', id, state })

  /** What is there already is counted, and nothing is brought. */
  const count = async (row: ImportRow, archive: ReadArchive, counts: ImportCounts, signal: AbortSignal) => {
    let some: string[] = []
    const look = async () => {
      const known = await store.known({ userId: row.userId, importId: row.id, source: row.source }, some)
      counts.skipped += known.size
      some = []
    }
    for await (const { sourceId } of archive.conversations(signal)) {
      some.push(sourceId)
      if (some.length === KNOWN_AT_ONCE) await look()
    }
    if (some.length > 0) await look()
  }

  /** Their ids here, by those that they had; the same again is the same one. */
  const bringBelongings = async ({ userId }: ImportRow, belongings: ReadBelonging[], counts: ImportCounts) => {
    const ids = new Map<string, string>()
    for (const { kind, row } of belongings) {
      const id = await deps.bringBelonging[kind](userId, row)
      if (id !== null && typeof row.id === 'string') ids.set(row.id, id)
      if (id === null) leaveOut(counts, nameOf(row), unreadable)
    }
    return ids
  }

  const bringOne = async (
    row: ImportRow,
    conversation: ReadConversation,
    belongings: Map<string, string>,
    counts: ImportCounts,
  ) => {
    const { sourceId, title, missingPictures } = conversation
    const place = { userId: row.userId, importId: row.id, source: row.source, sourceId }
    const known = (await store.known(place, [sourceId])).get(sourceId)
    if (known !== undefined || conversation.messages.length === 0) {
      if (known === 'now') counts.imported += 1
      else counts.skipped += 1
      return
    }
    const taken = await deps.takeOver(row.userId, givenOf(conversation, belongings), (sql, sessionId) =>
      store.note(sql, place, { sessionId }),
    )
    if (taken === null) {
      counts.skipped += 1
      return
    }
    counts.imported += 1
    for (const name of missingPictures) leaveOut(counts, `${title}: ${name}`, pictureMissing)
    for (const { name, reason } of taken.refused) {
      const said = reason.message
      const { text, told } = say('import_picture_refused', { said }, `It was left out: ${said}`)
      leaveOut(counts, `${title}: ${name}`, { text, told: reason.told.length > 0 ? reason.told : told })
    }
  }

  /** Keeps how far it is, now and then; false when it was cancelled. */
  const createKeep = (row: ImportRow, counts: ImportCounts) => {
    let keptAt = 0
    return async (atOnce = false) => {
      if (!atOnce && Date.now() - keptAt < PROGRESS_PAUSE_MS) return true
      if (!(await store.saveCounts(row.id, counts))) return false
      tell(row, 'running')
      keptAt = Date.now()
      return true
    }
  }

  /** False when it was cancelled meanwhile. */
  const bring = async (row: ImportRow, archive: ReadArchive, counts: ImportCounts, signal: AbortSignal) => {
    const keep = createKeep(row, counts)
    const belongings = await bringBelongings(row, archive.belongings, counts)
    for await (const conversation of archive.conversations(signal)) {
      signal.throwIfAborted()
      if (!(await keep())) return false
      await bringOne(row, conversation, belongings, counts)
    }
    return true
  }

  const takeItems = async <Item extends GivenItem>(
    row: ImportRow,
    read: { found: number; leftOut: { name: string; reason: LeftOutReason }[] },
    source: MediaSource<Item>,
    { counts, signal }: { counts: ImportCounts; signal: AbortSignal },
  ) => {
    counts.found = read.found
    for (const { name, reason } of read.leftOut) leaveOut(counts, name, leftOutWords[reason])
    await mediaBringing.measure(source, counts, signal)
    if (!row.isPreview) return mediaBringing.bring(row, source, { counts, signal, keep: createKeep(row, counts) })
    await mediaBringing.count(row, source, counts, signal)
    return true
  }

  /** The archive stays where it is: only what is taken next is unpacked. */
  const performArchive = (row: ImportRow, filename: string, counts: ImportCounts, signal: AbortSignal) =>
    useScratch(async (folder) => {
      const archive = await mediaArchives.read(
        { filename, source: row.source as MediaImportSource, maxFileBytes: deps.maxFileBytes() },
        { folder, signal },
      )
      const source: MediaSource<ArchivedFile> = {
        items: archive.files,
        told: archive.told,
        async lay(items, stop) {
          const entries = items.map(({ entry }) => entry)
          const laid = await mediaArchives.unpack({ filename, entries }, { folder, signal: stop })
          return laid.map((there) => (there === null ? null : { filename: there }))
        },
      }
      return takeItems(row, archive, source, { counts, signal })
    })

  /** Listed anew each time that it is gone on with: what was brought by then is passed over. */
  const performServer = (row: ImportRow, server: PhotoServers, counts: ImportCounts, signal: AbortSignal) =>
    useScratch(async (folder) => {
      const key = row.sealedKey === null ? null : deps.seal.open(row.sealedKey)
      if (key === null) throw keyGone()
      const access = { url: row.name, key }
      const options = { folder, maxFileBytes: deps.maxFileBytes() }
      const read = await server.read(access, { ...options, signal })
      if (read.found === 0 && read.leftOut.length === 0) throw serverEmpty()
      const source: MediaSource<ServedFile> = {
        items: read.files,
        lay: (items, stop) => server.fetch(access, items, { ...options, signal: stop }),
      }
      return takeItems(row, read, source, { counts, signal })
    })

  const perform = async (row: ImportRow, counts: ImportCounts, signal: AbortSignal): Promise<boolean> => {
    const { path, source } = row
    if (isServerSource(source)) return performServer(row, deps.photoServers[source], counts, signal)
    if (path === null) throw new NotFoundError('The file of this import is not there any more.')
    if (bringsMedia(source)) return files.useLocal(path, (filename) => performArchive(row, filename, counts, signal))
    return useScratch(async (folder) => {
      const archive = await files.useLocal(path, (filename) =>
        archives.read({ filename, source: source as ChatImportSource }, { folder, signal }),
      )
      counts.found = archive.found
      for (const name of archive.unreadable) leaveOut(counts, name, unreadable)
      if (!row.isPreview) return bring(row, archive, counts, signal)
      await count(row, archive, counts, signal)
      return true
    })
  }

  return {
    /** The handler of `import-things`. */
    async handleJob(
      id: string,
      { signal, isLastAttempt }: { signal: AbortSignal; isLastAttempt: boolean },
    ): Promise<void> {
      const row = await store.claim(id)
      if (row === null) return
      tell(row, 'running')
      const counts: ImportCounts = {
        ...{ found: 0, sizeBytes: null, earliestAt: null, latestAt: null },
        ...{ imported: 0, skipped: 0, completed: 0, failed: [] },
      }
      try {
        if (await perform(row, counts, signal)) {
          await store.finish(id, { state: 'done', counts, activity: activityOf(row, counts) })
          tell(row, 'done')
        }
      } catch (error) {
        const isAway = error instanceof UnavailableError
        const isForLater = signal.aborted || isAway || !(error instanceof AppError)
        // whoever only has counted what a server keeps sits before the page, and may have mistyped its address
        const isAsked = isAway && row.isPreview && isServerSource(row.source)
        if (isForLater && !isLastAttempt && !isAsked) {
          if (isAway) {
            await store.saveTrouble(id, reasonOf(error))
            tell(row, 'running')
          }
          throw error
        }
        log.warn({ err: error, import_id: id }, 'an import failed')
        await store.finish(id, { state: 'failed', counts, reason: reasonOf(error) })
        tell(row, 'failed')
      }
      await deps.removeLooseFiles()
    },
  }
}

const keyGone = () =>
  new ValidationError(
    say('import_key_gone', {}, 'The key cannot be read any more. Begin the import once more, with the key.'),
  )
const serverEmpty = () =>
  new ValidationError(say('import_server_empty', {}, 'There is nothing on this server that can be brought.'))
const unreadable = say('import_entry_unreadable', {}, 'It is not written as this program writes conversations.')
const leftOutWords: Record<LeftOutReason, Sentence> = {
  nested: say(
    'import_nested_archive',
    {},
    'It is an archive inside the archive, which is not opened. Unpack it first.',
  ),
  unsupported: say('import_unsupported', {}, 'Files of this type cannot be kept.'),
  too_large: say(
    'import_entry_too_large',
    {},
    'It is larger than files may be, or unpacks to far more than the archive is.',
  ),
}
const pictureMissing = say(
  'import_picture_missing',
  {},
  'The file does not hold this picture, or it is larger than 8 MB.',
)

/** Items leave a line each; conversations of an import leave one together. */
function activityOf({ userId, id, name, source, isPreview }: ImportRow, { imported }: ImportCounts) {
  if (isPreview || imported === 0 || bringsMedia(source)) return undefined
  const detail = { action: 'conversations_imported', title: name, source, count: imported }
  return { userId, kind: 'account' as const, subjectId: id, detail }
}

function reasonOf(error: unknown): Sentence {
  if (error instanceof AppError) return { text: error.message, told: error.told }
  return say(
    'import_failed',
    {},
    'The import was interrupted again and again. Begin it once more: it goes on where it was.',
  )
}

/** What a row is called, for whoever is told that it was left out. */
function nameOf({ name, title }: Record<string, unknown>): string {
  const known = typeof name === 'string' ? name : title
  return typeof known === 'string' ? known.slice(0, 200) : ''
}

function givenOf(read: ReadConversation, belongings: Map<string, string>): GivenConversation {
  const moment = (text: string | null) => (text === null ? null : new Date(text))
  return {
    title: read.title,
    createdAt: moment(read.createdAt),
    updatedAt: moment(read.updatedAt),
    currentId: read.currentId,
    tags: read.place?.tags,
    isArchived: read.place?.isArchived,
    projectId: belongings.get(read.place?.projectId ?? '') ?? null,
    personaId: belongings.get(read.place?.personaId ?? '') ?? null,
    messages: read.messages.map(({ createdAt, pictures, ...message }) => ({
      ...message,
      createdAt: moment(createdAt),
      pictures: pictures.map(({ name, filename }) => ({ name, read: () => readFile(filename) })),
    })),
  }
}
