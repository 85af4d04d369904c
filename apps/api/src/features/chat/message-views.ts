import type { ChatMessageView, Source } from '@mira/shared'
import type { Answers } from './answers.service.ts'
import type { MessageRow } from './chat.store.ts'
import type { PicturesService } from './pictures.service.ts'
import { presentAttached, presentMessage } from './present.ts'

export interface MessageViewsDeps {
  answers: Pick<Answers, 'contentsSoFar'>
  pictures: Pick<PicturesService, 'present'>
  /** Makes a path of the API one that a browser can load by itself. */
  signPath(userId: string, path: string): string
}

export type MessageViews = ReturnType<typeof createMessageViews>

/** Messages as they are shown, with addresses that open now. */
export function createMessageViews({ answers, pictures, signPath }: MessageViewsDeps) {
  /** Addresses that were signed when the answer was made have ceased to open. */
  const signSources = (userId: string, sources: Source[]): Source[] =>
    sources.map((source) => {
      const path = source.thumbnail?.replace(/[?&]signature=[^&]*$/, '')
      return path === undefined ? source : { ...source, thumbnail: signPath(userId, path) }
    })

  return {
    signSources,

    /** Also those that are being made. The caller makes sure that they are the person's. */
    async present(userId: string, rows: MessageRow[]): Promise<ChatMessageView[]> {
      const streaming = rows.flatMap((row) => (row.state === 'streaming' ? [row.id] : []))
      const soFar = streaming.length > 0 ? await answers.contentsSoFar(streaming) : new Map<string, string>()
      const shown = await pictures.present(
        userId,
        rows.map(({ id }) => id),
      )
      return rows.map((row) => {
        const sources = signSources(userId, row.sources)
        const media = row.media.map((one) => presentAttached(one, (path) => signPath(userId, path)))
        return presentMessage({ ...row, sources }, soFar.get(row.id), shown.get(row.id), media)
      })
    },
  }
}
