import type { Source } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Passage, RecalledPassage } from '../../../engines/chat-engine.ts'
import { isoDayIn } from '../../../platform/lib/time-zone-offset.ts'
import type { MemoryPassage } from '../../search/index.ts'
import { unsignedThumbnail } from '../conversations/links.ts'
import type { NearbyMessage } from './recall.store.ts'

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

/** Characters of a passage of a conversation: about as many as a passage of a file has. */
const CONVERSATION_CHARACTERS = 1000
/** Room below which no further message is quoted. */
const MIN_QUOTED_CHARACTERS = 80

/** Messages of other conversations with those near them, as passages that link to them. */
export function passagesOfConversations(recalled: RecalledPassage[], nearby: NearbyMessage[]): UnnumberedPassage[] {
  return recalled.map((passage) => {
    const { sessionId, messageId, sessionName, snippet, createdAt } = passage
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
      text: textOfConversation(
        passage,
        nearby.filter(({ nearId }) => nearId === messageId),
      ),
      itemDate: createdAt,
      certainty: 'perhaps',
    }
  })
}

/** Quotes a message with those near it, one per line. A question may only make sense with its answer, and the other way around. */
function textOfConversation({ role, snippet }: RecalledPassage, nearby: NearbyMessage[]): string {
  const prefix = (by: NearbyMessage['role']) => (by === 'user' ? 'The person wrote: ' : 'The assistant wrote: ')
  const lines = [prefix(role) + snippet]
  let room = CONVERSATION_CHARACTERS - (lines[0]?.length ?? 0)
  // Of two messages equally near, the reply to a question comes first, or the question of an answer.
  const first = role === 'user' ? 1 : -1
  for (const { offset, role, text } of nearby.toSorted(
    (a, b) => Math.abs(a.offset) - Math.abs(b.offset) || first * (b.offset - a.offset),
  )) {
    if (room < MIN_QUOTED_CHARACTERS) break
    const line = cutText(prefix(role) + text, room)
    room -= line.length + 1
    if (offset > 0) lines.push(line)
    else lines.unshift(line)
  }
  return lines.join('\n').toWellFormed()
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

/** Share of the characters that conversations may take from passages of items. */
const CONVERSATION_SHARE = 1 / 3

/** Passages of items that fit, then those of conversations, which get a share of the characters, or what's left if it's more. */
export function withConversations(
  matches: UnnumberedPassage[],
  conversations: UnnumberedPassage[],
  maxCharacters: number,
): UnnumberedPassage[] {
  const lengthOf = (passages: UnnumberedPassage[]) => passages.reduce((sum, { text }) => sum + text.length, 0)
  if (matches.length === 0) return firstThatFit(conversations, maxCharacters)
  const roomFor = Math.max(maxCharacters * CONVERSATION_SHARE, maxCharacters - lengthOf(matches))
  const kept = firstThatFit(conversations, roomFor).filter(({ text }) => text.length <= roomFor)
  return [...firstThatFit(matches, maxCharacters - lengthOf(kept)), ...kept]
}
