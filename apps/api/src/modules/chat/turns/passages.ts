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

/** Characters of a passage of a conversation: about as many as a passage of a file has, fewer where there's little room. */
const [MAX_CONVERSATION_CHARACTERS, MIN_CONVERSATION_CHARACTERS] = [1000, 300]
/** Share of a passage of full length that the found message may take; the others show what it's about. */
const FOUND_SHARE = 0.6
/** Room below which no further message is quoted. */
const MIN_QUOTED_CHARACTERS = 80

/** Found messages of other conversations, best first, and those near them. */
export interface Recalled {
  messages: RecalledPassage[]
  nearby: NearbyMessage[]
}

/**
 * Found messages of other conversations with those near them, as passages that link to them. Each message is quoted once, so a
 * found one that an earlier passage quotes gets no passage of its own.
 */
export function passagesOfConversations({ messages, nearby }: Recalled, maxCharacters: number): UnnumberedPassage[] {
  const quotedIds = new Set<string>()
  const snippets = new Map(messages.map(({ messageId, snippet }) => [messageId, snippet]))
  return messages.flatMap((message) => {
    const { sessionId, messageId, sessionName, snippet, createdAt } = message
    if (quotedIds.has(messageId)) return []
    quotedIds.add(messageId)
    // A found message is quoted around what matched, also beside another one.
    const others = nearby
      .filter(({ nearId, id }) => nearId === messageId && !quotedIds.has(id))
      .map((one) => ({ ...one, text: snippets.get(one.id) ?? one.text }))
    const { text, ids } = quoteTogether(message, others, maxCharacters)
    for (const id of ids) quotedIds.add(id)
    const source = {
      media_id: null,
      media_type: 'chat' as const,
      title: sessionName,
      snippet,
      thumbnail: null,
      session_id: sessionId,
      message_id: messageId,
      url: `/chat?session=${sessionId}`,
    }
    return [{ source, text, itemDate: createdAt, certainty: 'perhaps' }]
  })
}

/** Quotes a message with those near it, one per line: a question may only make sense with its answer, and the other way around. */
function quoteTogether({ role, snippet }: RecalledPassage, nearby: NearbyMessage[], maxCharacters: number) {
  const prefix = (by: NearbyMessage['role']) => (by === 'user' ? 'The person wrote: ' : 'The assistant wrote: ')
  const foundShare = maxCharacters < MAX_CONVERSATION_CHARACTERS ? 1 : FOUND_SHARE
  const lines = [cutText(prefix(role) + snippet, maxCharacters * foundShare)]
  const ids: string[] = []
  let room = maxCharacters - (lines[0]?.length ?? 0)
  // Of two messages equally near, the reply to a question comes first, or the question of an answer.
  const first = role === 'user' ? 1 : -1
  for (const { id, offset, role, text } of nearby.toSorted(
    (a, b) => Math.abs(a.offset) - Math.abs(b.offset) || first * (b.offset - a.offset),
  )) {
    if (room < MIN_QUOTED_CHARACTERS) break
    const whole = prefix(role) + text
    const line = cutText(whole, room - 1)
    room -= line.length + 1
    if (line === whole) ids.push(id)
    if (offset > 0) lines.push(line)
    else lines.unshift(line)
  }
  return { text: lines.join('\n').toWellFormed(), ids }
}

/** Identity of a passage, for finding duplicates. */
export function passageKey({ media_id, message_id, snippet, page, timestamp_seconds, url }: Omit<Source, 'n'>): string {
  return JSON.stringify([message_id ?? media_id ?? url, page, timestamp_seconds, snippet])
}

/** Numbers a passage in an answer; a known passage keeps its number. */
export type NumberPassage = (passage: UnnumberedPassage) => Passage

/** Continues an answer's numbering for the passages that its tools find. */
export function createNumbering(passages: Passage[], timeZone: string): NumberPassage {
  const numberedPassages = new Map(passages.map((passage) => [passageKey(passage.source), passage]))
  // Passages may share a key, so their count can be less than the last number.
  let last = Math.max(0, ...passages.map(({ source }) => source.n))
  return (passage) => {
    const key = passageKey(passage.source)
    const numbered = numberedPassages.get(key) ?? numberPassage(passage, ++last, timeZone)
    numberedPassages.set(key, numbered)
    return numbered
  }
}

/** First passages that fit; at least one. */
export function firstThatFit<Text extends { text: string }>(passages: Text[], maxCharacters: number): Text[] {
  const count = Math.max(1, countOfFitting(passages, maxCharacters))
  return passages.slice(0, count)
}

function countOfFitting(passages: { text: string }[], maxCharacters: number): number {
  let remainingCharacters = maxCharacters
  const end = passages.findIndex(({ text }) => {
    remainingCharacters -= text.length
    return remainingCharacters < 0
  })
  return end === -1 ? passages.length : end
}

/** Share of the characters for conversations beside passages of items: usually, and when the question is about conversations. */
const [CONVERSATION_SHARE, REQUESTED_SHARE] = [1 / 3, 2 / 3]
/** Number of conversations for which there should be room. */
const SHARING_CONVERSATIONS = 2

/**
 * Passages of items and of conversations that fit together. Conversations get a share of the characters, or what the items leave
 * if that's more; they come first when the question is about them.
 */
export function withConversations(
  matches: UnnumberedPassage[],
  recalled: Recalled,
  { maxCharacters, isRequested = false }: { maxCharacters: number; isRequested?: boolean },
): UnnumberedPassage[] {
  const lengthOf = (passages: UnnumberedPassage[]) => passages.reduce((sum, { text }) => sum + text.length, 0)
  const share = isRequested ? REQUESTED_SHARE : CONVERSATION_SHARE
  const room = Math.max(maxCharacters * share, maxCharacters - lengthOf(matches))
  const each = Math.max(MIN_CONVERSATION_CHARACTERS, Math.floor(room / SHARING_CONVERSATIONS))
  const conversations = firstThatFit(
    passagesOfConversations(recalled, Math.min(each, MAX_CONVERSATION_CHARACTERS)),
    room,
  )
  if (conversations.length === 0) return firstThatFit(matches, maxCharacters)
  const left = maxCharacters - lengthOf(conversations)
  if (isRequested) return [...conversations, ...matches.slice(0, countOfFitting(matches, left))]
  const first = matches[0]?.text.length ?? 0
  return first > left ? firstThatFit(matches, maxCharacters) : [...firstThatFit(matches, left), ...conversations]
}
