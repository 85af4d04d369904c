import type { ChatEngine } from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import { withoutThoughts } from '../conversations/titles.ts'
import type { HistoryMessage } from './history.ts'

/** Rewrites a message so that it makes sense alone: one text, or none when no engine could. */
export type Rephrase = (
  engine: ChatEngine,
  history: HistoryMessage[],
  message: string,
  signal: AbortSignal,
) => Promise<string[]>

export interface RephraseOptions {
  log: Log
  /** Milliseconds. */
  now?: () => number
  timeoutMs?: number
}

const TIMEOUT_MS = 1500
/** A model that was too slow so often in a row is not asked for a while: everybody would wait for nothing. */
const MAX_TIMEOUTS = 2
const PAUSE_MS = 60_000
const READ_MESSAGES = 4
const MAX_CHARACTERS = 300
/** Words mostly differ after these letters in their forms only. */
const COMPARED_LETTERS = 5
/** Part of its words that the conversation must hold: a model that makes things up is of no help. */
const MIN_SHARE = 0.5

/**
 * Makes the function that has a message put into words that need no conversation, by one short call of the model. What comes
 * of it is only searched for besides, and dropped when it is not made of the conversation's words.
 */
export function createRephrase({ log, now = Date.now, timeoutMs = TIMEOUT_MS }: RephraseOptions): Rephrase {
  let timeouts = 0
  let pausedUntil = 0

  return async (engine, history, message, signal) => {
    if (history.length === 0 || now() < pausedUntil) return []
    const messages = [...history.slice(-READ_MESSAGES), { role: 'user' as const, content: message }]
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const written = await engine.rephrase(messages, AbortSignal.any([signal, limit]))
      timeouts = 0
      const text = written === null ? '' : withoutThoughts(written).replace(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS)
      return isMadeOf(text, messages) ? [text.toWellFormed()] : []
    } catch (error) {
      if (limit.aborted && !signal.aborted && ++timeouts >= MAX_TIMEOUTS) {
        timeouts = 0
        pausedUntil = now() + PAUSE_MS
      }
      log.info({ err: error }, 'a follow-up was looked up as it is')
      return []
    }
  }
}

/** True when a text only uses words from the conversation. */
function isMadeOf(text: string, messages: HistoryMessage[]): boolean {
  const known = new Set(messages.flatMap(({ content }) => stemsOf(content)))
  const stems = stemsOf(text)
  return stems.length > 0 && stems.filter((stem) => known.has(stem)).length / stems.length >= MIN_SHARE
}

const stemsOf = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, COMPARED_LETTERS))
