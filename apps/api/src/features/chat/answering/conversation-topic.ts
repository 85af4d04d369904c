import type { JudgeMessage, MessageKind } from './message-kind.ts'
import type { HistoryRow } from './recall.store.ts'

/** A conversation that went on for longer is about something else by now. */
const MOST_QUESTIONS = 4
const MOST_SOURCES = 3
const QUESTION_CHARACTERS = 300
const SOURCE_CHARACTERS = 200

/**
 * Texts that a message may refer to, the nearest first: the question before it and the sources of its answer; for a
 * follow-up also earlier questions, up to one that makes sense alone.
 */
export function topicOf(history: HistoryRow[], kind: MessageKind, judge: JudgeMessage): string[] {
  const questions: string[] = []
  const before = history.flatMap(({ role, content }) => {
    return role === 'user' ? [{ content, kind: judge(content) }] : []
  })
  for (const question of before.toReversed()) {
    if (question.kind === 'talk') continue
    questions.push(question.content.slice(0, QUESTION_CHARACTERS))
    if (kind !== 'follow-up' || question.kind !== 'follow-up' || questions.length === MOST_QUESTIONS) break
  }
  const cited = kind === 'follow-up' ? (history.findLast(({ sources = [] }) => sources.length > 0)?.sources ?? []) : []
  return [
    ...questions,
    ...cited.slice(0, MOST_SOURCES).map(({ title, snippet }) => `${title} ${snippet}`.slice(0, SOURCE_CHARACTERS)),
  ]
}
