import { NotFoundError } from '../../../../errors.ts'
import { texts } from '../../../../parsers/text-decoder.ts'
import { cuesOfText, type SubtitleTrack, subtitlesFor } from '../../../../parsers/video/subtitles.ts'
import type { Files } from '../../../../platform/storage/files.ts'
import type { Reprocessing } from '../processing.service.ts'
import type { ProcessedItem } from '../step.ts'
import type { SubtitleFilesStore } from './subtitle-files.store.ts'

export interface SubtitleFilesDeps {
  store: SubtitleFilesStore
  files: Pick<Files, 'useLocal'>
  reprocessing: Pick<Reprocessing, 'reprocess'>
}

export type SubtitleFiles = ReturnType<typeof createSubtitleFiles>

/** Bound on the characters of a subtitle file: those of a day. */
const MAX_CHARACTERS = 5_000_000

/** Subtitles in files of their own, next to their films. */
export function createSubtitleFiles({ store, files, reprocessing }: SubtitleFilesDeps) {
  const read = async (path: string, signal: AbortSignal): Promise<string> =>
    files.useLocal(path, async (filename) => {
      let text = ''
      for await (const piece of texts.decode(filename, await texts.encodingOf(filename, signal), signal)) {
        text += piece
        if (text.length > MAX_CHARACTERS) break
      }
      return text
    })

  return {
    /** Tracks of the files that belong to a film. */
    async beside({ userId, originalFilename }: ProcessedItem, signal: AbortSignal): Promise<SubtitleTrack[]> {
      const name = originalFilename.replace(/\.[^.]*$/, '')
      const tracks: SubtitleTrack[] = []
      for (const { originalFilename: called, path } of await store.documentsBeside(userId, name)) {
        const belongs = subtitlesFor(called)
        if (!belongs?.names.some((one) => one.toLowerCase() === name.toLowerCase())) continue
        // it may just have been deleted
        const text = await read(path, signal).catch((error: unknown) => {
          if (error instanceof NotFoundError) return ''
          throw error
        })
        tracks.push({ language: belongs.language, cues: cuesOfText(text) })
      }
      return tracks
    },

    /** Words of a subtitle file without its times; null for any other text. */
    wordsOf({ originalFilename }: ProcessedItem, text: string): string | null {
      const cues = subtitlesFor(originalFilename) === null ? [] : cuesOfText(text)
      return cues.length === 0 ? null : cues.map((cue) => cue.text).join('\n')
    },

    /** Enqueues the transcription of the films that a subtitle file belongs to. */
    async notifyFilms({ userId, originalFilename }: ProcessedItem): Promise<void> {
      const names = subtitlesFor(originalFilename)?.names ?? []
      if (names.length === 0) return
      for (const itemId of await store.filmsCalled(userId, names)) {
        await reprocessing.reprocess(userId, itemId, ['transcribe']).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error
        })
      }
    },
  }
}
