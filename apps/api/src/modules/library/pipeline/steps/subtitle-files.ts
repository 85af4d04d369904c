import { NotFoundError } from '../../../../errors.ts'
import { texts } from '../../../../parsers/text-decoder.ts'
import {
  cuesOfText,
  type SubtitleTrack,
  subtitlesFor,
  withoutAttachments,
} from '../../../../parsers/video/subtitles.ts'
import type { Database } from '../../../../platform/database/client.ts'
import { raw, sql } from '../../../../platform/database/sql.ts'
import type { Files } from '../../../../platform/storage/files.ts'
import type { Reprocessing } from '../reprocessing.ts'
import type { ProcessedItem } from '../step.ts'

type SubtitleFilesStore = ReturnType<typeof createSubtitleFilesStore>

/** Maximum number of matching videos or subtitle files: a user may have a hundred called "video". */
const MAX_MATCHES = 8

const NAME_WITHOUT_EXTENSION = `lower(regexp_replace(original_filename, '\\.[^.]*$', ''))`

/** Access to videos and their subtitle files, which have the same name. */
export function createSubtitleFilesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A user's documents that may be subtitles of a video, by its name without the extension. */
    async findDocuments(userId: string, name: string): Promise<{ originalFilename: string; path: string }[]> {
      const start = name.toLowerCase()
      const { rows } = await pool.query<{ originalFilename: string; path: string }>(
        sql`SELECT original_filename AS "originalFilename", path FROM media_items
         WHERE user_id = ${userId} AND media_type = 'document' AND lower(original_filename) ~ '\\.(srt|vtt|ass|ssa)$'
           AND left(lower(original_filename), ${start.length + 1}) = ${start} || '.' ORDER BY created_at DESC, id
             LIMIT ${raw(MAX_MATCHES)}`,
      )
      return rows
    },

    /** A user's videos and recordings with one of these names, without the extension. */
    async findVideos(userId: string, names: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id FROM media_items WHERE user_id = ${userId} AND media_type IN ('video', 'audio')
           AND ${raw(NAME_WITHOUT_EXTENSION)} = ANY (${names.map((name) => name.toLowerCase())}::text[]) ORDER BY created_at DESC, id
             LIMIT ${raw(MAX_MATCHES)}`,
      )
      return rows.map(({ id }) => id)
    },
  }
}

interface SubtitleFilesDeps {
  store: SubtitleFilesStore
  files: Pick<Files, 'useLocal'>
  reprocessing: Pick<Reprocessing, 'reprocess'>
}

export type SubtitleFiles = ReturnType<typeof createSubtitleFiles>

/** Maximum number of characters read from a subtitle file; more than subtitles of a whole day have. */
const MAX_CHARACTERS = 5_000_000

/** Subtitles in separate files beside their videos. */
export function createSubtitleFiles({ store, files, reprocessing }: SubtitleFilesDeps) {
  const read = async (path: string, signal: AbortSignal): Promise<string> =>
    files.useLocal(path, async (filename) => {
      const encoding = await texts.encodingOf(filename, signal)
      let text = ''
      for await (const piece of withoutAttachments(texts.decode(filename, encoding, signal))) {
        text += piece
        if (text.length > MAX_CHARACTERS) break
      }
      return text
    })

  return {
    /** Tracks of the files that belong to a video. */
    async tracksOf({ userId, originalFilename }: ProcessedItem, signal: AbortSignal): Promise<SubtitleTrack[]> {
      const name = originalFilename.replace(/\.[^.]*$/, '')
      const tracks: SubtitleTrack[] = []
      for (const { originalFilename: documentName, path } of await store.findDocuments(userId, name)) {
        const subtitles = subtitlesFor(documentName)
        if (!subtitles?.names.some((videoName) => videoName.toLowerCase() === name.toLowerCase())) continue
        // The file may just have been deleted.
        const text = await read(path, signal).catch((error: unknown) => {
          if (error instanceof NotFoundError) return ''
          throw error
        })
        tracks.push({ language: subtitles.language, cues: cuesOfText(text) })
      }
      return tracks
    },

    /** Words of a subtitle file without its times; null for any other text. */
    wordsOf({ originalFilename }: ProcessedItem, text: string): string | null {
      const cues = subtitlesFor(originalFilename) === null ? [] : cuesOfText(text)
      return cues.length === 0 ? null : cues.map((cue) => cue.text).join('\n')
    },

    /** Enqueues the transcription of the videos that a subtitle file belongs to. */
    async enqueueTranscriptions({ userId, originalFilename }: ProcessedItem): Promise<void> {
      const names = subtitlesFor(originalFilename)?.names ?? []
      if (names.length === 0) return
      for (const itemId of await store.findVideos(userId, names)) {
        await reprocessing.reprocess(userId, itemId, ['transcribe']).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error
        })
      }
    },
  }
}
