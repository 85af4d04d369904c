import type { Source } from '@mira/shared'
import type { Passage, RecalledPassage } from '../../../engines/chat-engine.ts'
import { isoDayIn } from '../../../platform/lib/time-zone-offset.ts'
import type { MemoryPassage } from '../../search/index.ts'
import { unsignedThumbnail } from '../conversations/links.ts'

/** A passage of the memory, a conversation or the web that has no number yet. */
export type UnnumberedPassage = Pick<MemoryPassage, 'source' | 'text' | 'itemDate' | 'certainty'> &
  Partial<Pick<MemoryPassage, 'takenLocal' | 'probability'>>

/** A numbered passage for an engine, without signed URLs. Its `day` is when its item was taken, or else that of `itemDate`. */
export function numberPassage(
  { source, text, itemDate, takenLocal, certainty, probability }: UnnumberedPassage,
  n: number,
  timeZone: string,
): Passage {
  const day = takenLocal?.slice(0, 10) ?? isoDayIn(timeZone, itemDate)
  return { source: { n, ...unsignedThumbnail(source) }, text, certainty, probability, day }
}

/** A message of another conversation, as a passage that links to it. */
export function passageOfConversation({
  sessionId,
  messageId,
  sessionName,
  role,
  snippet,
  createdAt,
}: RecalledPassage): UnnumberedPassage {
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

/** Numbers a passage in an answer; a known passage keeps its number. */
export type NumberPassage = (passage: UnnumberedPassage) => Passage

/** Continues an answer's numbering for the passages that its tools find. */
export function createNumbering(passages: Passage[], timeZone: string): NumberPassage {
  const numberedPassages = new Map(passages.map((passage) => [passageKey(passage.source), passage]))
  return (passage) => {
    const key = passageKey(passage.source)
    const numbered = numberedPassages.get(key) ?? numberPassage(passage, numberedPassages.size + 1, timeZone)
    numberedPassages.set(key, numbered)
    return numbered
  }
}

/** First passages that fit; at least one. */
export function firstThatFit<Text extends { text: string }>(passages: Text[], maxCharacters: number): Text[] {
  let remainingCharacters = maxCharacters
  const end = passages.findIndex(({ text }, index) => {
    remainingCharacters -= text.length
    return remainingCharacters < 0 && index > 0
  })
  return end === -1 ? passages : passages.slice(0, end)
}
