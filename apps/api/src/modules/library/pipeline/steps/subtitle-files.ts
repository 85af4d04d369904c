import { NotFoundError } from '../../../../errors.ts'
import type { Texts } from '../../../../parsers/text-decoder.ts'
import type { SubtitleTrack } from '../../../../parsers/video/subtitles.ts'
import type { cuesOfText, subtitlesFor } from '../../../../parsers/video/timed-text.ts'
import type { Files } from '../../../../platform/storage/files.ts'
import type { ProcessedItem } from '../processing.ts'
import type { SubtitleFilesStore } from '../subtitle-files.store.ts'

export interface SubtitleFilesDeps {
  store: SubtitleFilesStore
  files: Pick<Files, 'useLocal'>
  texts: Texts
  cuesOfText: typeof cuesOfText
  subtitlesFor: typeof subtitlesFor
  /** Writes down again what is said in a film. */
  hearAgain(userId: string, itemId: string): Promise<void>
}

/** Characters of a file of subtitles that are looked at: those of a day. */
const MAX_CHARACTERS = 5_000_000

/** Subtitles that lie beside films as files of their own. */
export interface SubtitleFiles {
  /** Reads the ones beside a film. */
  beside(item: ProcessedItem, signal: AbortSignal): Promise<SubtitleTrack[]>
  /** The words of a file of subtitles without its times; null of any other text. */
  wordsOf(item: ProcessedItem, text: string): string | null
  /** Has the films written down again that a file of subtitles belongs to. */
  tellFilms(item: ProcessedItem): Promise<void>
}

/** Creates what joins films and the files of their subtitles. */
export function createSubtitleFiles(deps: SubtitleFilesDeps): SubtitleFiles {
  const { store, files, texts, cuesOfText, subtitlesFor, hearAgain } = deps
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
    async beside({ userId, originalFilename }, signal) {
      const name = originalFilename.replace(/\.[^.]*$/, '')
      const tracks: SubtitleTrack[] = []
      for (const { originalFilename: called, path } of await store.documentsBeside(userId, name)) {
        const belongs = subtitlesFor(called)
        if (!belongs?.names.some((one) => one.toLowerCase() === name.toLowerCase())) continue
        // it may be deleted at this moment
        const text = await read(path, signal).catch((error: unknown) => {
          if (error instanceof NotFoundError) return ''
          throw error
        })
        tracks.push({ language: belongs.language, cues: cuesOfText(text) })
      }
      return tracks
    },

    wordsOf({ originalFilename }, text) {
      const cues = subtitlesFor(originalFilename) === null ? [] : cuesOfText(text)
      return cues.length === 0 ? null : cues.map((cue) => cue.text).join('\n')
    },

    async tellFilms({ userId, originalFilename }) {
      const names = subtitlesFor(originalFilename)?.names ?? []
      if (names.length === 0) return
      for (const itemId of await store.filmsCalled(userId, names)) {
        await hearAgain(userId, itemId).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error
        })
      }
    },
  }
}
