import type { Language } from '@mira/shared'
import { numberWords } from './calendar-names.ts'

const from1To = (last: number, language: Language) =>
  `(?:[1-${last}]|${numberWords[language].slice(0, last).join('|')})`

/** Hour from 1 to 7 without a half of the day, as written or as rewritten for the parser. */
const bareEnglishHour = new RegExp(
  String.raw`(?:\b(?:at|to|past)|@)\s*${from1To(7, 'en')}(?![\p{L}\d])(?!:\d| (?:to|past) )`,
  'iu',
)
/** Hour with its minutes, as written: from 5:00 on, many mean the morning. */
const bareEnglishMinutes = /(?:\bat|@)\s*[1-4]:[0-5]\d(?![:\d])/iu
/** Hour from 1 to 6, or to 4 with minutes in digits. Not in "las 6 h", which counts the hours of the whole day. */
const bareSpanishHour = new RegExp(
  String.raw`(?<!\p{L})(?:las?|de) (?:${from1To(6, 'es')}(?![\p{L}\d]|[:.]\d)|[1-4][:.][0-5]\d)(?![:\d]| ?h(?:oras?)?(?!\p{L}))`,
  'iu',
)
const stated = /\d ?[ap]\.? ?m\b|\bmorning\b|(?<!\p{L})(?:de|por) la (?:mañana|madrugada)(?!\p{L})/iu

/**
 * Words that put the hours of a sentence in the morning, unless they're part of a title: "in the morning", "early tomorrow at 6",
 * but not "the morning meeting".
 */
const morningWords: Partial<Record<Language, RegExp>> = {
  en: /\b(?:in the|this|every|each)(?: early)? morning\b|\b(?:wak(?:e|ing)|get(?:ting)? up|breakfast|sunrise|dawn|before (?:work|school))\b|^\s*(?:very )?early,? (?:today|tomorrow|on|this|next|\p{L}+day)\b/iu,
  es: /(?<!\p{L})(?:(?:por|de) la (?:mañana|madrugada)|(?:cada|esta|todas las) (?:mañana|madrugada)s?|esta noche a las? \d|temprano|(?:despert|levant)\p{L}*|desayun\p{L}*|(?:en )?ayunas|amanecer)(?!\p{L})/iu,
}

/** True for an hour that means the afternoon, such as "at 5", "at 3:15", "a las 4", "ten to five". */
export function isAfternoonHour(
  sentence: string,
  /** Time of day in the sentence, as written and as rewritten for the parser. */
  { written, rewritten, isOfDay }: { written: string; rewritten: string; isOfDay: boolean },
  { language, isAlarm }: { language: Language; isAlarm: boolean },
): boolean {
  if (morningWords[language]?.test(sentence) || stated.test(`${written} ${rewritten}`)) return false
  if (language === 'es') return !isAlarm && bareSpanishHour.test(written)
  if (language !== 'en') return false
  // The first number may be that of the day: "5 June at 7:30".
  const texts = (text: string) => (isOfDay ? [text] : [text, `at ${text}`])
  return (
    texts(`${written} ${rewritten}`).some((text) => bareEnglishHour.test(text)) ||
    (!isAlarm && texts(written).some((text) => bareEnglishMinutes.test(text)))
  )
}
