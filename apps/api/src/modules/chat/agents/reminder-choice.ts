import { type Language, languages, type Reminder } from '@mira/shared'
import { DateTime } from 'luxon'
import { plainText, type RequestContext } from '../../../offline/requests/reading.ts'
import { readReminderTime } from '../../../offline/requests/reminder-times.ts'
import { alarmText, type ReminderCommand } from '../../../offline/requests/reminder-words.ts'
import { textsIn } from '../../../platform/messages/texts.ts'

const MINUTE_MS = 60_000
/** Last minute of a day; a day that is named without a time is past only after it. */
const endOfDay: Record<Language, string> = { en: 'at 23:59', de: 'um 23:59', es: 'a las 23:59', fr: 'à 23:59' }
export const durationPattern =
  /(?<!(?:à|las?) )\b(\d{1,4})\s*(min(?:ut\p{L}+|s)?|h(?:ours?|oras?|eures?)?|stunden?|std|days?|días?|tagen?|tage?|jours?)(?![\p{L}\d])/iu
/** Words for an alarm and for a timer. */
const alarmNames = {
  alarm: /(?<!\p{L})(?:alarme?s?|alarmas?|wecker|despertador(?:es)?|r[eé]veils?)(?: clocks?)?(?!\p{L})/iu,
  timer: /(?<!\p{L})(?:timers?|temporizador(?:es)?|minuteurs?)(?!\p{L})/iu,
} as const
export type AlarmKind = keyof typeof alarmNames
/** Rest of a command for every reminder or every alarm, with no other words: "cancel all my alarms". */
export const allRemindersPattern =
  /^ *(?:all(?: of)?(?: (?:my|the))?(?: (?:active|current))?|tod[oa]s (?:mis|l[oa]s)|alle(?: (?:meine|die))?|tou(?:s|tes) (?:mes|les)) (?:reminders|alarms|timers|recordatorios|alarmas|despertadores|temporizadores|erinnerungen|wecker|alarme|timer|rappels|alarmes|r[eé]veils|minuteurs)(?: (?:as )?(?:done|completed?)| als erledigt| como (?:hech|completad)[oa]s| comme (?:faits|terminés)| please| bitte)?[.! ]*$/iu
/** Words that qualify an alarm without naming it. */
const qualifier = /^(?:clocks?|current|active|set|next)$/iu
/** Words before the time of an existing alarm, with their replacements: "la alarma de las 7", "l'alarme de 7h", "den 7 Uhr Wecker". */
const beforeAlarmTime: readonly [RegExp, string][] = [
  [/(?<!\p{L})(?:de|para) (?=las? (?:\d|una(?!\p{L})))/giu, 'a '],
  [/(?<!\p{L})de (?=\d{1,2} ?h)/giu, 'à '],
  [/(?<!\p{L})(?:von|den) (?=\d{1,2}(?::\d\d)? uhr)/giu, 'um '],
]
const recurring = /(?<!\p{L})(?:(?:hour|dai|week|month)ly|täglich|diari|quotidien)/iu
/** Hours of an alarm "in the morning" and "in the evening". */
const partsOfDay: readonly [RegExp, (hour: number) => boolean][] = [
  [/\bmorning\b/iu, (hour) => hour < 12],
  [/\bevening\b/iu, (hour) => hour >= 17],
]
/** Words and notations that say which half of the day an hour belongs to. */
const halfOfDay =
  /\d ?[ap]\.?m\b|\b(?:1[3-9]|2\d):|\b(?:noon|midnight|morning|afternoon|evening|tonight|night)\b|(?<!\p{L})(?:(?:de|por) la (?:mañana|madrugada|tarde|noche)|mediodía|medianoche)(?!\p{L})/iu

/** Kind of alarm that a sentence mentions, and the end index of the mention. */
export function findAlarmName(sentence: string): { kind: AlarmKind | undefined; end: number } {
  for (const kind of ['alarm', 'timer'] as const) {
    const match = alarmNames[kind].exec(sentence)
    if (match !== null) return { kind, end: match.index + match[0].length }
  }
  return { kind: undefined, end: 0 }
}

/** Reading of a sentence about existing reminders. */
interface DueTimeReading {
  /** The sentence's words without the time. */
  rest: string
  /** True when the sentence names a day: "tomorrow". */
  hasDay: boolean
  /** True for a reminder that is due at the time in the sentence. */
  isMeant: (reminder: Reminder) => boolean
  /** Looser than `isMeant`: also true for a recurrence at that time, for a reminder that fired then, and if the time can't be compared. */
  mayBeMeant: (reminder: Reminder) => boolean
}

/** True for a reminder that has notified its user and hasn't been completed since. */
function isOpen({ fired_at, completed_at }: Reminder): boolean {
  return fired_at !== null && (completed_at ?? new Date(0)) < fired_at
}

/** Reads the due time or duration of an existing reminder: "the alarm for 7 am tomorrow", "the 5 minute timer". */
export function readDueTime(sentence: string, kind: AlarmKind | undefined, reader: RequestContext): DueTimeReading {
  const { language, timeZone } = reader
  let text = kind === undefined ? sentence : alarmText(sentence, kind, language)
  if (kind === 'alarm') for (const [pattern, word] of beforeAlarmTime) text = text.replace(pattern, word)
  const durationMinutes = kind === undefined ? null : durationOf(text)
  const part = kind === 'alarm' ? partsOfDay.find(([pattern]) => pattern.test(text)) : undefined
  const local = (date: Date) => DateTime.fromJSDate(date, { zone: timeZone })
  if (kind !== undefined && durationMinutes !== null) {
    const rest = text.replace(new RegExp(durationPattern, 'giu'), ' ')
    const isMeant = ({ due_at, created_at }: Reminder) =>
      Math.round((due_at.getTime() - created_at.getTime()) / MINUTE_MS) === durationMinutes
    const untimed = rest.replace(/(?<!\p{L})(?:in|en|dans)(?!\p{L})/giu, ' ')
    return { rest: untimed, hasDay: false, isMeant, mayBeMeant: isOpen }
  }
  const read = readReminderTime(text, reader, kind !== undefined)
  const { time, hasDay } = read
  if (part !== undefined && !/\d/.test(text) && !hasDay) {
    const [pattern, isInPart] = part
    const isMeant = ({ due_at }: Reminder) => isInPart(local(due_at).hour)
    return { rest: text.replace(pattern, ' '), hasDay, isMeant, mayBeMeant: isOpen }
  }
  // The sentence may name a day without a time.
  const day = time.kind === 'no_time' && hasDay ? readReminderTime(`${text} ${endOfDay[language]}`, reader).time : null
  // "the 7 o'clock alarm" may be in the morning or in the evening.
  const isBareHour = (language === 'en' || language === 'es') && !halfOfDay.test(sentence)
  const statedTime = time.kind === 'at' ? local(time.at) : null
  const isAtStatedTime = ({ hour, minute }: { hour: number; minute: number }) =>
    statedTime !== null &&
    minute === statedTime.minute &&
    (isBareHour ? hour % 12 === statedTime.hour % 12 : hour === statedTime.hour)
  const isMeant = ({ due_at, recurrence }: Reminder) => {
    const due = local(due_at)
    if (recurring.test(sentence) && recurrence === null) return false
    if (day !== null) return day.kind === 'at' && due.hasSame(local(day.at), 'day')
    if (time.kind === 'recurring') return recurrence !== null && recurrence.time === time.recurrence.time
    if (statedTime === null) return time.kind === 'no_time'
    return isAtStatedTime(due) && (!hasDay || statedTime.hasSame(due, 'day'))
  }
  const mayBeMeant = (reminder: Reminder) => {
    const { due_at, fired_at, recurrence } = reminder
    const wanted = day ?? time
    if (wanted.kind === 'past' || wanted.kind === 'skipped') return true
    if (hasDay && recurrence === null && !isOpen(reminder)) return false
    if (day !== null) return true
    const recursThen =
      recurrence !== null &&
      (recurrence.time === undefined || isAtStatedTime(DateTime.fromISO(recurrence.time, { zone: 'UTC' })))
    return (
      recursThen ||
      isAtStatedTime(local(due_at)) ||
      (isOpen(reminder) && fired_at !== null && isAtStatedTime(local(fired_at)))
    )
  }
  // Words of a time that couldn't be read stay in the rest, as part of a name.
  return { rest: read.rest, hasDay, isMeant, mayBeMeant }
}

/** True for a recurrence by days, or on several weekdays. */
export function recursOnDays(recurrence: Reminder['recurrence'] | undefined): boolean {
  return recurrence?.unit === 'day' || (recurrence?.weekdays?.length ?? 0) > 1
}

/** Minutes of a duration such as "10 minutes" or "1 h"; null when there is none. */
export function durationOf(sentence: string): number | null {
  const [, count, unit = ''] = durationPattern.exec(sentence) ?? []
  if (count === undefined) return null
  const minutes = /^min/iu.test(unit) ? 1 : /^[hs]/iu.test(unit) ? 60 : 24 * 60
  return Math.max(1, Number(count) * minutes)
}

/** Default titles of alarms and timers, in every language. */
const defaultTitles = {
  alarm: languages.map((language) => plainText(textsIn('reminders', language)('alarm'))),
  timer: languages.map((language) => plainText(textsIn('reminders', language)('timer'))),
}

/**
 * Chooses the reminders that contain the largest number of the words, including ties. Without words, chooses the uncompleted
 * reminder that last notified the user and that `isMeant` accepts, or all reminders if there is none or the command is to delete. `isSure` is
 * true when all chosen reminders contain all words, and an alarm's name has no other words.
 */
export function chooseReminders(
  all: Reminder[],
  words: string,
  {
    wish,
    kind,
    isMeant,
  }: { wish: ReminderCommand; kind: AlarmKind | undefined; isMeant: (reminder: Reminder) => boolean },
): { matches: Reminder[]; isSure: boolean } {
  const searchWords = wordsOf(words.replace(new RegExp(durationPattern, 'giu'), ' ')).filter(
    (word) => word.length > 1 || /\d/.test(word),
  )
  if (searchWords.length === 0) {
    if (all.length === 1) return { matches: all, isSure: true }
    const unhandled = all.filter((reminder) => isOpen(reminder) && isMeant(reminder))
    const last = unhandled.sort((a, b) => (b.fired_at?.getTime() ?? 0) - (a.fired_at?.getTime() ?? 0))[0]
    return { matches: last !== undefined && wish !== 'delete' ? [last] : all, isSure: true }
  }
  // "the alarm for the house" doesn't mean just any alarm.
  const names =
    kind === undefined
      ? searchWords
      : searchWords.filter((word) => !alarmNames[kind].test(word) && !qualifier.test(word))
  if (kind !== undefined && names.length === 0)
    return { matches: all.filter(({ text }) => defaultTitles[kind].includes(plainText(text))), isSure: true }
  const scored = all.map((reminder) => {
    const text = ` ${wordsOf(reminder.text).join(' ')} `
    return { reminder, hits: names.filter((word) => text.includes(` ${word.replace(/s$/, '')}`)).length }
  })
  const best = Math.max(0, ...scored.map(({ hits }) => hits))
  const matches = best === 0 ? [] : scored.filter(({ hits }) => hits === best).map(({ reminder }) => reminder)
  const isSure = matches.every(({ text }) => {
    const title = wordsOf(text).map((word) => word.replace(/s$/, ''))
    const isWholeName =
      kind === undefined ||
      title.every(
        (word) =>
          functionWords.has(word) ||
          alarmNames[kind].test(word) ||
          names.some((name) => name.replace(/s$/, '') === word),
      )
    return isWholeName && names.every((name) => title.includes(name.replace(/s$/, '')))
  })
  return { matches, isSure }
}

const functionWords = new Set('the a an my for to der die da den dem für el la lo para le un una une pour'.split(' '))

function wordsOf(text: string): string[] {
  return plainText(text).match(/[\p{L}\d]+/gu) ?? []
}
