import type { ChatMessageView } from '@mira/shared'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { Answers } from '../turns/answers.service.ts'
import type { Links } from './links.ts'
import { presentAttached, presentMessage } from './present.ts'
import type { MessageRow } from './sessions.store.ts'

export interface MessageViewsDeps {
  answers: Answers
  pictures: PicturesService
  links: Links
}

export type MessageViews = ReturnType<typeof createMessageViews>

/** Messages as they are shown, with addresses that open now. */
export function createMessageViews({ answers, pictures, links }: MessageViewsDeps) {
  const { signPath, signSources } = links
  return {
    /** Includes running answers. The caller checks that they're the user's. */
    async present(userId: string, rows: MessageRow[]): Promise<ChatMessageView[]> {
      const streaming = rows.flatMap((row) => (row.state === 'streaming' ? [row.id] : []))
      const soFar = streaming.length > 0 ? await answers.contentsSoFar(streaming) : new Map<string, string>()
      const picturesOf = await pictures.present(
        userId,
        rows.map(({ id }) => id),
      )
      return rows.map((row) => {
        const sources = signSources(userId, row.sources)
        const media = row.media.map((item) => presentAttached(item, (path) => signPath(userId, path)))
        return presentMessage({ ...row, sources }, soFar.get(row.id), picturesOf.get(row.id), media)
      })
    },
  }
}
