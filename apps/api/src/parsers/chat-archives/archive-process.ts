// Reads other programs' exports in a separate process: they may unpack to any size and take any time.
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type ChatImportSource, IMAGE_MAX_BYTES, type ImportFileSource } from '@mira/shared'
import type { TaskContext } from '../../platform/sandbox/process-protocol.ts'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { type ArchiveFiles, ArchiveProblem, openArchive, type ReadingProgress } from './archive-files.ts'
import type {
  ArchivedConversation,
  ArchivedEntity,
  ArchivedPicture,
  ArchiveEntry,
  ArchiveKind,
  PictureReference,
  TreeConversation,
} from './chat-archives.ts'
import { readChatGpt } from './kinds/chatgpt.ts'
import { readClaude } from './kinds/claude.ts'
import { readLibreChat } from './kinds/librechat.ts'
import { readMira } from './kinds/mira.ts'
import { readOpenWebUi } from './kinds/open-webui.ts'

const kinds: Record<ChatImportSource, ArchiveKind> = {
  mira: readMira,
  chatgpt: readChatGpt,
  claude: readClaude,
  'open-webui': readOpenWebUi,
  librechat: readLibreChat,
}

const MAX_UNREADABLE = 100
/** Entries examined to recognise another program's export. */
const MAX_EXAMINED_ENTRIES = 20
const MAX_PICTURES = 20_000
const CONVERSATIONS_FILE = 'conversations.ndjson'
const BELONGINGS_FILE = 'belongings.json'
const MAX_BELONGINGS = 2000
/** Interval of progress reports. */
const PROGRESS_INTERVAL_MS = 250

/** Contents of an archive, as sent to the server. */
interface ReadResult {
  found: number
  unreadable: string[]
  /** Picture files. */
  pictures: string[]
  /** Path of a file with one JSON line per conversation: the whole conversation, or only its id. */
  lines: string
  /** Path of a JSON file with projects, personas and prompts. */
  belongings: string
}

interface ArchiveToRead {
  filename: string
  source: ChatImportSource
  folder: string
}

const tasks = {
  /** Writes an archive's conversations as JSON lines, and their pictures as files. */
  read: (archive: ArchiveToRead, context: TaskContext<ReadingProgress>) => read(archive, context, unpackPictures),

  /** Reads the whole archive as `read` does, but only writes the ids of its conversations. */
  count: (archive: ArchiveToRead, context: TaskContext<ReadingProgress>) =>
    read(archive, context, async ({ sourceId }) => sourceId),
}

type LineBuilder = (conversation: TreeConversation, unpack: Unpack) => Promise<ArchivedConversation | string>

async function read(
  { filename, source, folder }: ArchiveToRead,
  { emit }: TaskContext<ReadingProgress>,
  lineOf: LineBuilder,
): Promise<ReadResult> {
  let reportedAt = Number.NEGATIVE_INFINITY
  const onRead = (progress: ReadingProgress) => {
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return
    reportedAt = performance.now()
    void emit(progress)
  }
  try {
    return await write(await openArchive(filename, onRead), { source, folder, lineOf })
  } catch (error) {
    if (error instanceof ArchiveProblem || isSystemError(error)) throw error
    throw new ArchiveProblem('damaged_archive', String(error))
  }
}

async function write(
  files: ArchiveFiles,
  { source, folder, lineOf }: { source: ChatImportSource; folder: string; lineOf: LineBuilder },
): Promise<ReadResult> {
  const result: ReadResult = {
    found: 0,
    unreadable: [],
    pictures: [],
    lines: join(folder, CONVERSATIONS_FILE),
    belongings: join(folder, BELONGINGS_FILE),
  }
  const belongings: ArchivedEntity[] = []
  const unpack = createUnpacker(files, folder, result.pictures)
  let unreadableCount = 0
  async function* lines(entries: AsyncIterable<ArchiveEntry>) {
    for await (const entry of entries) {
      if ('belonging' in entry) {
        if (belongings.length < MAX_BELONGINGS) belongings.push(entry.belonging)
        continue
      }
      result.found += 1
      if ('conversation' in entry) yield `${JSON.stringify(await lineOf(entry.conversation, unpack))}\n`
      else {
        unreadableCount += 1
        if (result.unreadable.length < MAX_UNREADABLE) result.unreadable.push(entry.unreadable)
      }
    }
  }
  try {
    await pipeline(lines(kinds[source](files, folder)), createWriteStream(result.lines))
    if (result.found === unreadableCount && belongings.length === 0)
      throw new ArchiveProblem('other_source', (await otherSourceOf(files, folder, source)) ?? '')
  } finally {
    files.close()
  }
  await writeFile(result.belongings, JSON.stringify(belongings))
  return result
}

/** Paths that only occur in picture archives, by their source. */
const pictureArchives: readonly (readonly [ImportFileSource, RegExp])[] = [
  ['takeout', /^Takeout\/|\.supplemental-metadata(?:\(\d+\))?\.json$/],
  ['apple', /(?:^|\/)Photo Details[^/]*\.csv$/i],
]

/** The other program that wrote an archive, by its first entries; null when unknown. */
async function otherSourceOf(
  files: ArchiveFiles,
  folder: string,
  expectedSource: ChatImportSource,
): Promise<ImportFileSource | null> {
  for (const source of Object.keys(kinds) as ChatImportSource[]) {
    if (source !== expectedSource && (await hasConversations(kinds[source](files, folder)))) return source
  }
  return pictureArchives.find(([, pattern]) => files.names().some((name) => pattern.test(name)))?.[0] ?? null
}

async function hasConversations(entries: AsyncIterable<ArchiveEntry>): Promise<boolean> {
  let examined = 0
  try {
    for await (const entry of entries) {
      if ('conversation' in entry) return true
      examined += 1
      if (examined === MAX_EXAMINED_ENTRIES) return false
    }
  } catch (error) {
    // If the reader fails, the archive isn't from its program.
    if (isSystemError(error)) throw error
  }
  return false
}

async function unpackPictures(conversation: TreeConversation, unpack: Unpack): Promise<ArchivedConversation> {
  const missingPictures: string[] = []
  const messages: ArchivedConversation['messages'] = []
  for (const { pictures: namedPictures, ...message } of conversation.messages) {
    const pictures: ArchivedPicture[] = []
    for (const picture of namedPictures) {
      const unpackedPicture = await unpack(picture)
      if (unpackedPicture === null) missingPictures.push(picture.name)
      else pictures.push(unpackedPicture)
    }
    messages.push({ ...message, pictures })
  }
  return { ...conversation, messages, missingPictures }
}

type Unpack = (picture: PictureReference) => Promise<ArchivedPicture | null>

/** Unpacks pictures into a folder, each file of the archive once. A missing, empty or too large picture, or one too many, becomes null. */
function createUnpacker(files: ArchiveFiles, folder: string, createdFiles: string[]): Unpack {
  const unpackedEntries = new Map<string, string>()
  return async ({ name, entry, bytes }) => {
    const unpackedPath = entry ? unpackedEntries.get(entry) : undefined
    if (unpackedPath !== undefined) return { name, filename: unpackedPath }
    const isMissing = bytes === undefined && (entry === null || entry === undefined)
    const size = bytes?.length ?? (entry ? files.sizeOf(entry) : 0)
    if (isMissing || size === 0 || size > IMAGE_MAX_BYTES || createdFiles.length >= MAX_PICTURES) return null
    const filename = `picture-${createdFiles.length + 1}`
    if (bytes !== undefined) await writeFile(join(folder, filename), bytes)
    else if (entry) {
      await pipeline(files.pieces(entry), createWriteStream(join(folder, filename)))
      unpackedEntries.set(entry, filename)
    }
    createdFiles.push(filename)
    return { name, filename }
  }
}

export type ArchiveTasks = typeof tasks

serveTasks(tasks)
