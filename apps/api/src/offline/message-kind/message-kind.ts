import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DateTime } from 'luxon'
import { z } from 'zod'
import { guessIntent, type IntentModel, NO_AGENT, trainIntents } from '../intents/intent-classifier.ts'
import { readTimes } from '../phrases/times.ts'

/** Phrases for something said, advised or agreed in a conversation with the assistant, in the four languages. */
const TALK_PHRASES = [
  '(?:did|have|had|what|which|that|as) you (?:\\w+ )?(?:say|said|tell|told|write|wrote|written|(?:recommend|suggest|explain|mention)(?:ed)?|(?:advise|propose|promise)d?)',
  'you (?:\\w+ )?(?:told|recommended|suggested|advised|proposed|promised) (?:me|us|that|to)',
  '(?:did|have|had) (?:we|i) (?:\\w+ )?(?:discuss|talk|agree|decide|chat|speak|spoken|ask you|asked you|tell you|told you)',
  'we (?:\\w+ )?(?:discussed|talked|agreed|chatted|spoke)',
  '(?:conversation|talk|chat|discussion)s? with (?:you|(?:the|my|an|your) (?:\\w+ )?(?:assistant|ai|chatbot))',
  '(?:the|my|an) (?:\\w+ )?(?:assistant|chatbot)',
  'me (?:dijiste|recomendaste|sugeriste|aconsejaste|propusiste|explicaste|contaste)|(?:hablamos|acordamos|quedamos|conversamos|te (?:dije|pregunté|conté))',
  '(?:conversación|charla)(?:es)? (?:contigo|con el asistente)|el asistente',
  "tu m['’]as (?:\\w+ )?(?:dit|conseillé|recommandé|suggéré|proposé|expliqué)|m['’](?:as|avais)-tu (?:dit|conseillé|recommandé|suggéré|proposé)",
  "(?:nous avons|avons-nous|on a|on avait) (?:\\w+ )?(?:parlé|discuté|convenu|décidé)|je t['’]ai (?:dit|demandé)",
  "conversations? avec (?:toi|l['’]assistant)|l['’]assistant",
  '(?:hast du|du hast|hattest du) (?:[\\p{L}\\p{N}]+ ){0,6}(?:gesagt|empfohlen|geraten|vorgeschlagen|erklärt|erwähnt|versprochen)',
  '(?:haben wir|wir haben|hatten wir) (?:[\\p{L}\\p{N}]+ ){0,6}(?:besprochen|geredet|gesprochen|vereinbart|ausgemacht)|(?:ich dir|dir) (?:\\w+ )?(?:gesagt|erzählt)',
  '(?:gespräch|unterhaltung|chat) mit (?:dir|dem assistenten)|(?:der|dem|den) assistent(?:en)?',
]
const EARLIER_TALK = new RegExp(`(?<![\\p{L}\\p{N}])(?:${TALK_PHRASES.join('|')})(?![\\p{L}\\p{N}])`, 'iu')

/** True for a question about an earlier conversation with the assistant. */
export function asksAboutConversations(text: string): boolean {
  return EARLIER_TALK.test(text.replace(/\s+/g, ' '))
}

/**
 * Kind of a message, for searching the memory. talk: greets, thanks, chats, or includes all it needs ("translate this: …");
 * question: anything else; follow-up: a question that makes no sense without earlier ones.
 */
export type MessageKind = 'talk' | 'question' | 'follow-up'

const languages = ['en', 'es', 'fr', 'de'] as const
const examplesSchema = z.record(z.enum(['talk', 'task', 'question', 'follow-up']), z.array(z.string()).min(20))
/** Probability of talk from which the memory isn't searched; high because a needless search costs little. */
const MIN_TALK_PROBABILITY = 0.7
const MIN_TASK_PROBABILITY = 0.5
/** Probability of a follow-up from which earlier questions are searched for, too; low because needless context does little harm. */
const MIN_FOLLOW_UP_PROBABILITY = 0.4
/** A task followed by its material: "translate this: …". */
const MATERIAL = /^([^:\n"“«„]{4,80})[:\n"“«„]\s*\S/u
/** Longer messages aren't follow-ups: they name their subject. */
const MAX_FOLLOW_UP_WORDS = 16
/** Longer messages aren't small talk: they report something. */
const MAX_TALK_CHARACTERS = 150

/** With these few examples, further epochs don't improve the classifier. */
const EPOCHS = 3

/** The classifier, trained on first use. */
let model: IntentModel | undefined

function probabilities(text: string): Record<string, number> {
  model ??= trainIntents(
    readExamples().map(({ text: example, label }) => ({
      text: example,
      label: label === 'question' ? NO_AGENT : label,
    })),
    EPOCHS,
  )
  return Object.fromEntries(guessIntent(model, text).map(({ label, probability }) => [label, probability]))
}

/**
 * Kind of a message in any of the four languages, learnt from the examples in this folder. The first call trains the
 * classifier, which takes a few tenths of a second.
 */
export function judgeMessage(text: string): MessageKind {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'talk'
  const task = MATERIAL.exec(text)?.[1]
  if (task !== undefined && (probabilities(task).task ?? 0) >= MIN_TASK_PROBABILITY) return 'talk'
  const { talk = 0, task: taskProbability = 0, 'follow-up': followUp = 0 } = probabilities(text)
  if (text.length <= MAX_TALK_CHARACTERS && talk + taskProbability >= MIN_TALK_PROBABILITY && !namesDay(text))
    return 'talk'
  const isShort = text.trim().split(/\s+/).length <= MAX_FOLLOW_UP_WORDS
  return isShort && followUp >= MIN_FOLLOW_UP_PROBABILITY ? 'follow-up' : 'question'
}

/** True for a text with a calendar day or month, such as 3 May, rather than today or Monday. */
function namesDay(text: string): boolean {
  const times = readTimes(text, DateTime.utc(), null)
  return times.some(({ begin, end, isYearly }) => isYearly || /\d{4}/.test(text.slice(begin, end)))
}

function readExamples(): { text: string; label: string }[] {
  return languages.flatMap((language) => {
    const content = readFileSync(join(import.meta.dirname, 'message-examples', `${language}.json`), 'utf8')
    const examples = examplesSchema.parse(JSON.parse(content))
    return Object.entries(examples).flatMap(([label, texts]) => texts.map((text) => ({ text, label })))
  })
}
