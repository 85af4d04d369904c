import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * Kind of a message, for searching the memory. talk: it greets, thanks, chats, or includes all it needs ("translate
 * this: …"); question: anything else; follow-up: a question that makes no sense without the ones before it.
 */
export type MessageKind = 'talk' | 'question' | 'follow-up'

export type JudgeMessage = (text: string) => MessageKind

/** Learns to tell sentences apart by examples; a label of `other` is what a sentence is that nothing else fits. */
export type LearnSentences = (
  examples: { text: string; label: string }[],
  other: string,
) => (text: string) => { label: string; probability: number }[]

const languages = ['en', 'es', 'fr', 'de'] as const
const examplesSchema = z.record(z.enum(['talk', 'task', 'question', 'follow-up']), z.array(z.string()).min(20))
/** A message is looked up unless it surely needs nothing: one that is looked up for nothing costs little. */
const SURE = 0.7
const LIKELY = 0.5
/** Context that a message did not need weighs little. */
const PERHAPS = 0.4
/** A task and what it is done with: "translate this: …". */
const MATERIAL = /^([^:\n"“«„]{4,80})[:\n"“«„]\s*\S/u
/** Longer messages name their subject. */
const LONGEST_FOLLOW_UP_WORDS = 16
const LONGEST_TALK_CHARACTERS = 300

/**
 * Makes the function that tells what a message is, in four languages, by what it has learnt from the examples beside it; it
 * learns when it is first asked, which takes some tenths of a second.
 */
export function createJudgeMessage(learn: LearnSentences): JudgeMessage {
  let guess: ReturnType<LearnSentences> | undefined
  const probabilities = (text: string) => {
    guess ??= learn(readExamples(), 'question')
    return Object.fromEntries(guess(text).map(({ label, probability }) => [label, probability]))
  }

  return (text) => {
    if (!/[\p{L}\p{N}]/u.test(text)) return 'talk'
    const task = MATERIAL.exec(text)?.[1]
    if (task !== undefined && (probabilities(task).task ?? 0) >= LIKELY) return 'talk'
    const { talk = 0, task: chore = 0, 'follow-up': following = 0 } = probabilities(text)
    if (text.length <= LONGEST_TALK_CHARACTERS && talk + chore >= SURE) return 'talk'
    const isShort = text.trim().split(/\s+/).length <= LONGEST_FOLLOW_UP_WORDS
    return isShort && following >= PERHAPS ? 'follow-up' : 'question'
  }
}

function readExamples(): { text: string; label: string }[] {
  return languages.flatMap((language) => {
    const content = readFileSync(join(import.meta.dirname, 'message-examples', `${language}.json`), 'utf8')
    const examples = examplesSchema.parse(JSON.parse(content))
    return Object.entries(examples).flatMap(([label, texts]) => texts.map((text) => ({ text, label })))
  })
}
