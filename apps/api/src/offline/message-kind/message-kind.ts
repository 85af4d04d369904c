import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DateTime } from 'luxon'
import { z } from 'zod'
import { guessIntent, type IntentModel, NO_AGENT, trainIntents } from '../intents/intent-classifier.ts'
import { readTimes } from '../phrases/times.ts'

/** Phrases for something said, advised or agreed in a conversation with the assistant, in the four languages. */
const OF_TALKS = [
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
const PATTERN = new RegExp(`(?<![\\p{L}\\p{N}])(?:${OF_TALKS.join('|')})(?![\\p{L}\\p{N}])`, 'iu')

/** True for a question about what was said in an earlier conversation with the assistant. */
export function asksOfTalks(text: string): boolean {
  return PATTERN.test(text.replace(/\s+/g, ' '))
}

/**
 * Kind of a message, for searching the memory. talk: it greets, thanks, chats, or includes all it needs ("translate
 * this: …"); question: anything else; follow-up: a question that makes no sense without the ones before it.
 */
export type MessageKind = 'talk' | 'question' | 'follow-up'

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
/** A longer message tells of something. */
const LONGEST_TALK_CHARACTERS = 150

/** More rounds don't improve it on these few sentences. */
const EPOCHS = 3

/** The classifier, trained by the first message. */
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
 * classifier, which takes some tenths of a second.
 */
export function judgeMessage(text: string): MessageKind {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'talk'
  const task = MATERIAL.exec(text)?.[1]
  if (task !== undefined && (probabilities(task).task ?? 0) >= LIKELY) return 'talk'
  const { talk = 0, task: chore = 0, 'follow-up': following = 0 } = probabilities(text)
  if (text.length <= LONGEST_TALK_CHARACTERS && talk + chore >= SURE && !namesDay(text)) return 'talk'
  const isShort = text.trim().split(/\s+/).length <= LONGEST_FOLLOW_UP_WORDS
  return isShort && following >= PERHAPS ? 'follow-up' : 'question'
}

/** True for a text that speaks of a day or month of the calendar, and not just of today or Monday. */
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
