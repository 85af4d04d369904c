import type { Source } from '@mira/shared'
import type { Passage, Recollection } from '../../../engines/chat-engine.ts'
import type { MemoryPassage } from '../../search/index.ts'
import { bareThumbnail } from '../conversations/links.ts'

/** A passage of the memory, of a conversation or of the web, not numbered yet. */
export type UnnumberedPassage = Pick<MemoryPassage, 'source' | 'text' | 'itemDate' | 'certainty'> &
  Partial<Pick<MemoryPassage, 'takenLocal' | 'probability'>>

/** A passage for an engine: with its item's day, without signed addresses. */
export function numberPassage(
  { source, text, itemDate, takenLocal, certainty, probability }: UnnumberedPassage,
  n: number,
): Passage {
  const day = (takenLocal ?? itemDate.toISOString()).slice(0, 10)
  return { source: { n, ...bareThumbnail(source) }, text, certainty, probability, day }
}

/** A message of another conversation as a passage that links to it. */
export function passageOfTalk({
  sessionId,
  messageId,
  sessionName,
  role,
  snippet,
  createdAt,
}: Recollection): UnnumberedPassage {
  return {
    source: {
      media_id: null,
      media_type: 'chat',
      title: sessionName,
      snippet,
      thumbnail: null,
      session_id: sessionId,
      message_id: messageId,
      url: `/chat?session=${sessionId}`,
    },
    text: `${role === 'user' ? 'The person' : 'The assistant'} wrote: ${snippet}`,
    itemDate: createdAt,
    certainty: 'perhaps',
  }
}

/** Identity of a passage, for finding duplicates. */
export function passageKey({ media_id, snippet, page, timestamp_seconds, url }: Omit<Source, 'n'>): string {
  return JSON.stringify([media_id ?? url, page, timestamp_seconds, snippet])
}

/** Gives a passage its number in an answer; one that is known keeps the number that it has. */
export type NumberPassage = (passage: UnnumberedPassage) => Passage

/** Numbers what tools find on after what an answer has already. */
export function createNumbering(passages: Passage[]): NumberPassage {
  const numberedPassages = new Map(passages.map((passage) => [passageKey(passage.source), passage]))
  return (passage) => {
    const place = passageKey(passage.source)
    const one = numberedPassages.get(place) ?? numberPassage(passage, numberedPassages.size + 1)
    numberedPassages.set(place, one)
    return one
  }
}

/** As many of the passages as fit, best first: one of them always. */
export function fitting<One extends { text: string }>(passages: One[], maxCharacters: number): One[] {
  let remainingCharacters = maxCharacters
  const end = passages.findIndex(({ text }, index) => {
    remainingCharacters -= text.length
    return remainingCharacters < 0 && index > 0
  })
  return end === -1 ? passages : passages.slice(0, end)
}
