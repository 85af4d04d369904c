import type { CreateNote, LibraryQuery, MediaItem, SearchQuery, SearchResult, Source } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Caller } from '../../../caller.ts'
import type { Config } from '../../../config.ts'
import { BadRequestError, EngineError, NotFoundError } from '../../../errors.ts'
import type { FetchProblem } from '../../../platform/net/web-fetcher.ts'
import type { ReceivedFile } from '../../../platform/storage/files.ts'
import type { RemindersService } from '../../automation/index.ts'
import type { ChatService } from '../../chat/index.ts'
import type { MediaService, NotesService, UploadService, WebFiles } from '../../library/index.ts'
import type { MemoryService, PassagesService } from '../../search/index.ts'

interface MemoryForProgramsDeps {
  config: Config
  memory: MemoryService
  media: MediaService
  chat: ChatService
  uploads: UploadService
  webFiles: WebFiles
  notes: NotesService
  reminders: RemindersService
  passages: PassagesService
}

export type MemoryForPrograms = ReturnType<typeof createMemoryForPrograms>

/** Limit for each of an item's texts. */
const MAX_TEXT_CHARACTERS = 40_000
const FETCH_MAX_BYTES = 50 * 1024 * 1024
const FETCH_TIMEOUT_MS = 60_000

const fetchProblems: Record<FetchProblem, string> = {
  address: 'This isn’t an http or https address.',
  private: 'This address isn’t on the public internet.',
  unreachable: 'The server at this address can’t be reached.',
  certificate: 'The certificate of the server at this address isn’t trusted.',
  timeout: 'The server at this address didn’t respond in time.',
  status: 'The server at this address responded with an error.',
  redirects: 'The address redirects too many times.',
  too_large: 'The file at this address is larger than 50 MB.',
  type: 'This type of file isn’t supported.',
  broken: 'The file at this address arrived damaged.',
}

/** A user's memory for programs: ids, texts and URLs of pages in the web app, but no signed URLs of files. */
export function createMemoryForPrograms(deps: MemoryForProgramsDeps) {
  const { config, memory, media, chat, uploads, notes, reminders, passages } = deps
  const urlOf = (path: string) => `${config.publicUrl ?? ''}${path}`

  const hitOf = (result: SearchResult) => ({
    id: result.id,
    media_id: result.media_id,
    media_type: result.media_type,
    file: result.original_filename,
    text: result.content,
    certainty: result.certainty,
    score: result.similarity_score,
    ...positionOf(result),
    timestamp: result.timestamp,
    taken_local: result.taken_local,
    url: urlOf(result.url),
  })

  const outlineOf = (item: MediaItem) => ({
    id: item.id,
    media_type: item.media_type,
    file: item.metadata.original_filename,
    caption: item.caption,
    tags: item.tags,
    timestamp: item.timestamp,
    taken_local: item.metadata.taken_local,
    duration_seconds: item.duration,
    pages: item.metadata.pages,
    size_bytes: item.metadata.size_bytes,
    processing_status: item.processing_status,
    url: urlOf(`/gallery/${item.id}`),
  })

  const presentAdded = ({ id, isNew }: { id: string; isNew: boolean }) => {
    return { id, is_new: isNew, url: urlOf(`/gallery/${id}`) }
  }

  const acceptFile = async ({ userId, countsInAnalytics }: Caller, name: string, file: ReceivedFile) => {
    const options = { generate_caption: true, extract_text: true, keep_place: false, wait: 0 }
    return presentAdded(await uploads.accept({ userId, name, file, countsInAnalytics }, options))
  }

  return {
    /** Searches the memory, best hits first, without recording it as a search by the user. */
    async search(caller: Caller, query: SearchQuery) {
      const { userId, timeZone, language } = caller
      const searcher = { userId, timeZone, language, countsInAnalytics: false, isRecorded: false }
      const { results, mode, understood } = await memory.search(searcher, query)
      const { corrections } = understood ?? {}
      return { results: results.map(hitOf), mode, ...(corrections && { corrections }) }
    },

    /** One passage of an item, by the id of its moment. @throws NotFoundError when it isn't the user's. */
    async passage(userId: string, id: string) {
      const passage = await passages.findByMoment(userId, id)
      if (passage === null) throw new NotFoundError('There is no such passage.')
      const { source, text, itemName, itemDate, takenLocal } = passage
      return {
        id,
        media_id: source.media_id,
        media_type: source.media_type,
        file: itemName,
        text,
        ...positionOf(source),
        timestamp: itemDate.toISOString(),
        taken_local: takenLocal,
        url: urlOf(source.url),
      }
    },

    /** An item with its details. @throws NotFoundError when it isn't the user's. */
    async item(userId: string, id: string) {
      const item = await media.detail(userId, id)
      return {
        ...outlineOf(item),
        text: cut(item.extracted_text ?? item.content),
        transcription: cut(item.transcription),
        pages_text: item.pages.map(({ page, text }) => ({ page, text: cut(text) })),
        frames: item.frames.map(({ frame_number, timestamp_seconds, caption, extracted_text }) => ({
          frame_number,
          timestamp_seconds,
          caption,
          text: extracted_text,
        })),
      }
    },

    async list(userId: string, query: LibraryQuery) {
      const { media_items, next_cursor, total } = await media.list(userId, query)
      return { items: media_items.map(outlineOf), next_cursor, total }
    },

    /**
     * Answers from the memory, with citations; stores nothing and calls no agent.
     * @throws EngineError, and the errors of `answerProgram`.
     */
    async ask(caller: Caller, content: string, signal: AbortSignal) {
      let answer = ''
      let sources: Source[] = []
      // The tool `ask` declares itself read-only, so clients call it without asking their user.
      const readOnlyCaller = { ...caller, canUseAgents: false, canKeepFacts: false }
      for await (const part of chat.answerProgram(
        readOnlyCaller,
        { instructions: '', history: [], content, images: [] },
        signal,
      )) {
        if (part.type === 'text') answer += part.text
        else if (part.type === 'rethink') answer = ''
        else if (part.type === 'sources') sources = part.sources
      }
      if (answer === '') throw new EngineError('The assistant gave no answer.', { code: 'empty_answer' })
      const citations = sources.map((source) => ({
        n: source.n,
        media_id: source.media_id,
        file: source.title,
        snippet: source.snippet,
        ...positionOf(source),
        url: urlOf(source.url),
      }))
      return { answer, sources: citations }
    },

    /** Stores a note as Markdown. */
    addNote: async (caller: Caller, note: CreateNote) => presentAdded(await notes.add(caller, note)),

    /** Stores a file sent with the call. @throws UnsupportedTypeError, ValidationError, StorageFullError. */
    addFile: (caller: Caller, name: string, content: Uint8Array) =>
      uploads.admit(caller.userId, content.byteLength, async () =>
        acceptFile(caller, name, await uploads.receive(content)),
      ),

    /** Stores the file at a public address. @throws BadRequestError when it can't be fetched. */
    addFromAddress: (
      caller: Caller,
      { name, url, types }: { name: string; url: string; types: readonly string[] },
      signal: AbortSignal,
    ) =>
      deps.webFiles.download(
        {
          ...{ userId: caller.userId, url, types, signal },
          ...{ maxBytes: FETCH_MAX_BYTES, timeoutMs: FETCH_TIMEOUT_MS },
          onFailure: ({ problem }) => new BadRequestError(fetchProblems[problem], { code: `fetch_${problem}` }),
        },
        ({ body }) => acceptFile(caller, name, body),
      ),

    remind: reminders.create,
  }
}

/** Position within an item, as far as known. */
function positionOf(position: {
  page?: number | null | undefined
  timestamp_seconds?: number | null | undefined
  frame_number?: number | null | undefined
}) {
  const { page, timestamp_seconds, frame_number } = position
  return {
    ...(page == null ? {} : { page }),
    ...(timestamp_seconds == null ? {} : { timestamp_seconds }),
    ...(frame_number == null ? {} : { frame_number }),
  }
}

function cut(text: string | null): string | null {
  if (text === null || text.length <= MAX_TEXT_CHARACTERS) return text
  return `${cutText(text, MAX_TEXT_CHARACTERS).toWellFormed()}… (cut after ${MAX_TEXT_CHARACTERS} characters)`
}
