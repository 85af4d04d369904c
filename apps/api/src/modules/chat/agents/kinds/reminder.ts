import {
  type Language,
  languages,
  MAX_ACTIVE_REMINDERS,
  REMINDER_TEXT_MAX_CHARACTERS,
  type Recurrence,
  type Reminder,
} from '@mira/shared'
import { AppError, BadRequestError, missingScopeError, NotFoundError } from '../../../../errors.ts'
import { escapeMarkdown, type RequestContext } from '../../../../offline/requests/reading.ts'
import { type ReminderTime, readReminderTime, type TimeReading } from '../../../../offline/requests/reminder-times.ts'
import {
  alarmText,
  alarmTitle,
  clauseAtStart,
  commandPatterns,
  edgeWords,
  fillerWords,
  isUnsureTime,
  type ReminderCommand,
  unsupportedChange,
  withDuration,
} from '../../../../offline/requests/reminder-words.ts'
import { textsIn } from '../../../../platform/messages/texts.ts'
import type { AgentContext, AgentKind, AgentResult } from '../agent-kind.ts'
import {
  type AlarmKind,
  allRemindersPattern,
  chooseReminders,
  durationOf,
  durationPattern,
  findAlarmName,
  readDueTime,
  recursOnDays,
} from '../reminder-choice.ts'
import { reminderLines, remindersResult, whenOf } from '../reminder-results.ts'

/** Actions on a user's reminders. */
export interface ReminderTools {
  create(
    userId: string,
    reminder: { text: string; due_at: Date; time_zone: string; recurrence: Recurrence | null },
  ): Promise<Reminder>
  /** Active reminders, the one due next first. */
  list(userId: string, query: { state: 'active'; limit: number }): Promise<{ reminders: Reminder[] }>
  snooze(userId: string, id: string, minutes: number): Promise<Reminder>
  complete(userId: string, id: string): Promise<Reminder>
  remove(userId: string, id: string): Promise<void>
}

const MINUTE_MS = 60_000
const MAX_LISTED = 20
const SNOOZE_MINUTES = 10
const MAX_SENTENCE_CHARACTERS = 1000
/** A time of day such as "17 h", after words that rule out a duration: "hasta las 17 h", "à demain 17h", "bis Freitag 17h30". */
const clockPattern =
  /(?<=(?:(?<!\p{L})(?:à|las?|vers|demain|at|to|until|till|tomorrow|hasta|hoy|mañana|bis|ab|auf|heute|morgen|(?:heute|morgen|\p{L}{2,7}tag|Mittwoch) um|Mittwoch|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|dimanche)|\p{L}{2,6}(?:day|tag|di)) )([01]?\d|2[0-3]) ?h(?:eures?)? ?([0-5]\d)?(?![\p{L}\d])/giu
/** An end of a snooze that `readReminderTime` didn't recognise: "until 8". */
const unreadClock = /(?<!\p{L})(?:until|till|to|hasta|a las?|jusqu['’]à|à|bis|auf) \d/iu

/**
 * Reads the command of a sentence, first in the user's language and then in the others, and the remaining text; null when the
 * sentence isn't about reminders.
 */
function readWish(
  input: string,
  language: Language,
): { wish: ReminderCommand; language: Language; rest: string; hasVerb: boolean; isBare: boolean } | null {
  const text = input.trim().replace(/^[¿¡\s]+/u, '')
  for (const patternLanguage of [...new Set<Language>([language, ...languages])]) {
    for (const [wish, pattern] of commandPatterns[patternLanguage]) {
      const match = pattern.exec(text)
      if (match === null) continue
      const { before = '', after = text.slice(match.index + match[0].length) } = match.groups ?? {}
      const rest = `${before}${after}`
      // The question mark of "can you remind me …?" isn't part of the text.
      return {
        wish,
        language: patternLanguage,
        rest: isNew(wish) ? rest.replace(/\s?\?$/u, '') : rest,
        hasVerb: match.groups?.verb !== undefined,
        isBare: match.groups?.bare !== undefined,
      }
    }
  }
  return null
}

type NewWish = Extract<ReminderCommand, 'create' | 'alarm' | 'timer'>
type ChangeWish = Exclude<ReminderCommand, NewWish | 'list'>

function isNew(wish: ReminderCommand): wish is NewWish {
  return wish === 'create' || wish === 'alarm' || wish === 'timer'
}

/** Beginnings of questions to the memory: "remind me of the address", "rappelle-moi ce que j'ai dit". */
const factQuestion =
  /^ (?:(?:mal |noch ?mal )?daran, |mal |encore |again )?(?:(?:of|what|when|where|who|how|which|why)(?= (?!to(?!\p{L})))|(?:qué|c[oó]mo|cu[aá]ndo|d[oó]nde|qui[eé]n|cu[aá]l(?:es)?|cu[aá]nt[oa]s?|por qué|ce que|comment|où|ou|quand|qui|quoi|pourquoi|combien|quel(?:le)?s?|qu['’]est|was|wie|wo|wann|wer|warum|welche[mnrs]?|woran)(?!\p{L})|ce qu['’])/iu
/** The same by a fact that needs no reminder: "rappelle-moi l'adresse du dentiste". */
const factNoun =
  /^ (?:encore |(?:noch ?)?mal )?(?:an )?(?:(?:the|my|le|la|mon|ma|son|sa|el|mi|su|den|die|das|meine?n?) |l['’])(?:names?|address|code|password|number|title|noms?|adresse|mot de passe|numéro|titre|prix|nombre|direcci[oó]n|c[oó]digo|contraseña|n[uú]mero|t[ií]tulo|precio|namen|passwort|nummer)(?!\p{L})/iu

/** ReminderAgent: creates, lists, changes and completes reminders. */
export function createReminder({ reminders }: { reminders: ReminderTools }): AgentKind {
  const listActive = async (userId: string) =>
    (await reminders.list(userId, { state: 'active', limit: MAX_ACTIVE_REMINDERS })).reminders

  const create = async (
    sentence: string,
    sentenceLanguage: Language,
    caller: AgentContext,
    wish: NewWish = 'create',
  ): Promise<AgentResult> => {
    const say = textsIn('reminders', caller.language)
    const reader = { ...caller, language: sentenceLanguage }
    const { time: read, rest } =
      wish === 'create' ? readReminderTime(sentence, reader) : readAlarm(sentence, wish, reader)
    const time = requireTime(read, caller)
    const name = trimEdges(wish === 'create' ? rest : alarmTitle(rest), sentenceLanguage)
    const text = name === '' && wish !== 'create' ? say(wish) : name
    if (text === '') throw refusal(say('noText'), 'no_text')
    if (text.length > REMINDER_TEXT_MAX_CHARACTERS)
      throw refusal(say('tooLong', { most: REMINDER_TEXT_MAX_CHARACTERS }), 'too_long')
    const schedule =
      time.kind === 'at' ? { due_at: time.at, recurrence: null } : { due_at: time.from, recurrence: time.recurrence }
    try {
      const reminder = await reminders.create(caller.userId, { text, time_zone: caller.timeZone, ...schedule })
      return remindersResult(
        'created',
        [reminder],
        say('created', { text: escapeMarkdown(reminder.text), when: whenOf(reminder, caller) }),
        caller,
      )
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_reminders') {
        throw refusal(say('tooMany', { most: MAX_ACTIVE_REMINDERS }), error.code, error)
      }
      if (error instanceof AppError && error.status === 422) throw refusal(say('tooFar'), 'too_far', error)
      throw error
    }
  }

  const list = async (caller: AgentContext): Promise<AgentResult> => {
    const say = textsIn('reminders', caller.language)
    const all = await listActive(caller.userId)
    if (all.length === 0) return remindersResult('listed', [], say('none'), caller)
    const listed = all.slice(0, MAX_LISTED)
    const rest = all.length > listed.length ? `\n\n${say('more', { count: all.length - listed.length })}` : ''
    return remindersResult(
      'listed',
      listed,
      `${say('list', { count: all.length })}\n\n${reminderLines(listed, caller)}${rest}`,
      caller,
      say('list', { count: all.length }),
    )
  }

  /** Finds and changes the intended reminder; asks back when several may be meant. */
  const change = async (
    wish: ChangeWish,
    sentence: string,
    sentenceLanguage: Language,
    caller: AgentContext,
  ): Promise<AgentResult> => {
    const say = textsIn('reminders', caller.language)
    const all = await listActive(caller.userId)
    if (all.length === 0) return remindersResult('listed', [], say('none'), caller)
    const reader = { ...caller, language: sentenceLanguage }
    const { kind, end } = findAlarmName(sentence)
    // In "snooze the 7 am alarm until 8", the words up to "alarm" identify the alarm, and the rest says how long.
    const subjectEnd = wish === 'snooze' ? end : sentence.length
    const about = readDueTime(sentence.slice(0, subjectEnd), kind, reader)
    const snooze = wish === 'snooze' ? readSnooze(sentence.slice(subjectEnd), caller, reader) : { minutes: 0, rest: '' }
    const rest = `${about.rest} ${snooze.rest}`
    const isAboutAll = wish !== 'snooze' && allRemindersPattern.test(sentence)
    const name = trimEdges(rest.replace(fillerWords[sentenceLanguage], ' '), sentenceLanguage)
    const words = isAboutAll && kind === undefined ? '' : name
    const { matches, isSure } = chooseReminders(all, words, {
      wish: isAboutAll ? 'delete' : wish,
      kind,
      isMeant: about.isMeant,
    })
    if (matches.length === 0) {
      const output = `${say('noneLike', { words: escapeMarkdown(words) })}\n\n${reminderLines(all.slice(0, MAX_LISTED), caller)}`
      return remindersResult('listed', all.slice(0, MAX_LISTED), output, caller, say('noneLike', { words }))
    }
    if (isAboutAll && matches.length > 1) return actOnAll(wish, matches, all.length - matches.length, caller)
    const atTime = matches.filter(about.isMeant)
    const [reminder] = atTime
    const possible = reminder === undefined ? matches.filter(about.mayBeMeant) : atTime
    // "cancel my alarm for tomorrow" doesn't mean to delete a daily alarm.
    const isSingleOccurrence = wish === 'delete' && about.hasDay && recursOnDays(reminder?.recurrence)
    if (atTime.length > 1 || reminder === undefined || !isSure || isSingleOccurrence) {
      const listed = (possible.length === 0 ? matches : possible).slice(0, MAX_LISTED)
      const question = say(possible.length === 0 ? 'noneThen' : 'which')
      return remindersResult('listed', listed, `${question}\n\n${reminderLines(listed, caller)}`, caller, question)
    }
    return act(wish, reminder, snooze.minutes, caller)
  }

  const act = async (
    wish: ChangeWish,
    reminder: Reminder,
    minutes: number,
    caller: AgentContext,
  ): Promise<AgentResult> => {
    const say = textsIn('reminders', caller.language)
    const text = escapeMarkdown(reminder.text)
    if (wish === 'delete') {
      await reminders.remove(caller.userId, reminder.id)
      return remindersResult('deleted', [reminder], say('deleted', { text }), caller)
    }
    if (wish === 'complete') {
      const completed = await reminders.complete(caller.userId, reminder.id)
      const output =
        completed.state === 'completed'
          ? say('completed', { text })
          : say('movedOn', { text, when: whenOf(completed, caller) })
      return remindersResult('completed', [completed], output, caller)
    }
    const snoozed = await reminders.snooze(caller.userId, reminder.id, minutes)
    return remindersResult('snoozed', [snoozed], say('snoozed', { text, when: whenOf(snoozed, caller) }), caller)
  }

  const actOnAll = async (
    wish: Exclude<ChangeWish, 'snooze'>,
    all: Reminder[],
    otherCount: number,
    caller: AgentContext,
  ): Promise<AgentResult> => {
    const say = textsIn('reminders', caller.language)
    const changed: Reminder[] = []
    for (const reminder of all) {
      try {
        if (wish === 'complete') changed.push(await reminders.complete(caller.userId, reminder.id))
        else {
          await reminders.remove(caller.userId, reminder.id)
          changed.push(reminder)
        }
      } catch (error) {
        // Deleted meanwhile, on another device.
        if (!(error instanceof NotFoundError)) throw error
      }
    }
    if (changed.length === 0) return list(caller)
    const action = wish === 'delete' ? 'deleted' : 'completed'
    const head = say(`${action}All`, { count: changed.length })
    const listed = changed.slice(0, MAX_LISTED)
    const unlistedCount = changed.length - listed.length
    const parts = [
      head,
      reminderLines(listed, caller),
      ...(unlistedCount > 0 ? [say('more', { count: unlistedCount })] : []),
      ...(otherCount > 0 ? [say('othersActive', { count: otherCount })] : []),
    ]
    return remindersResult(action, listed, parts.join('\n\n'), caller, head)
  }

  return {
    name: 'ReminderAgent',
    description: 'Reminds you at a time, once or repeatedly, and lists, snoozes, completes and deletes reminders.',
    capabilities: ['reminders', 'recurring reminders', 'times in natural language', 'snooze'],
    intents: [
      'remind me to call Anna tomorrow at 5pm',
      'list my reminders',
      'remind me every Monday at 9 to water the plants',
      'remind me in 20 minutes to check the oven',
      'snooze the reminder about Anna for 10 minutes',
      'delete the reminder about the plants',
    ],
    hasSideEffects: true,
    isReadOnly: (input) => readWish(input, 'en')?.wish === 'list',
    tool: {
      name: 'reminder',
      description:
        'Creates, lists, snoozes, completes and deletes the reminders of the person, by one sentence in their language. Use it only when they ask for it.',
      parameters: {
        type: 'object',
        properties: {
          input: {
            type: 'string',
            description:
              'The command, with the time as the person said it, such as "remind me to call Anna tomorrow at 5pm", "remind me every Monday at 9 to water the plants", "list my reminders", "delete the reminder about the plants".',
          },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
    // A reminder created by a guess would come as a surprise.
    requiresParsing: true,
    confidence(text, caller) {
      if (text.length > MAX_SENTENCE_CHARACTERS) return 0
      const command = readWish(text, caller.language)
      if (command === null) return 0
      // "alarm in the house" and "wake me up before you go" name no time and set no alarm.
      if ((command.wish === 'alarm' || command.wish === 'timer') && !command.hasVerb) {
        if (readAlarm(command.rest, command.wish, { ...caller, language: command.language }).time.kind === 'no_time')
          return 0
      }
      if (command.wish === 'create') {
        const { time, hasDay, rest } = readReminderTime(command.rest, { ...caller, language: command.language })
        const isUntimed = time.kind === 'no_time' || time.kind === 'past'
        if ((command.isBare && clauseAtStart.test(rest)) || (isUntimed && factQuestion.test(command.rest))) return 0
        // "rappelle-moi le dentiste demain" lacks a time of day.
        if (isUntimed && !hasDay && (command.isBare || factNoun.test(command.rest))) return 0
      }
      // "snooze" and "postpone" are also used for other things.
      return command.wish === 'snooze' &&
        command.rest.trim() !== '' &&
        !/remind|recordat|rappel|erinner|alarm|wecker|réveil/iu.test(text)
        ? 0.5
        : 0.95
    },
    async run(input, caller) {
      if (input.length > MAX_SENTENCE_CHARACTERS) {
        throw refusal(
          textsIn('reminders', caller.language)('tooLong', { most: REMINDER_TEXT_MAX_CHARACTERS }),
          'too_long',
        )
      }
      const command = readWish(input, caller.language)
      // The caller has chosen this agent, so the sentence needn't mention reminders.
      if (command === null) {
        const { time } = readReminderTime(input, caller)
        if (unsupportedChange.test(input.trim()) || (time.kind === 'no_time' && !time.hasDay))
          throw refusal(textsIn('reminders', caller.language)('notUnderstood'), 'not_a_reminder')
        return create(input, caller.language, caller)
      }
      if (isNew(command.wish)) return create(command.rest, command.language, caller, command.wish)
      // The other commands return existing reminders.
      if (!caller.canReadStored) throw missingScopeError('read')
      return command.wish === 'list' ? list(caller) : change(command.wish, command.rest, command.language, caller)
    },
  }
}

function refusal(message: string, code: string, cause?: unknown): BadRequestError {
  return new BadRequestError(message, { code, cause })
}

/** @throws BadRequestError for a missing, past or skipped time */
function requireTime(time: ReminderTime, { language, timeZone }: AgentContext) {
  const say = textsIn('reminders', language)
  if (time.kind === 'past') throw refusal(say('past'), 'time_passed')
  if (time.kind === 'no_time') throw refusal(time.hasDay ? say('noClock') : say('noTime'), 'no_time')
  if (time.kind === 'skipped') {
    const day = time.skipped.setLocale(language).toLocaleString({ dateStyle: 'long' })
    const message = say('skipped', {
      day,
      wanted: time.skipped.toFormat('H:mm'),
      later: time.later.toFormat('H:mm'),
      zone: timeZone,
    })
    throw refusal(message, 'time_skipped')
  }
  return time
}

/** Reads the time of a new alarm or timer; no time when it's ambiguous. */
function readAlarm(sentence: string, wish: AlarmKind, reader: RequestContext): TimeReading {
  const text = alarmText(sentence, wish, reader.language)
  const read = readReminderTime(text, reader, wish === 'alarm')
  if (read.time.kind === 'no_time') return read
  const rest = alarmTitle(read.rest)
  // In "at 7 instead of at 8", the remaining text has another time.
  const hasOtherTime = /\d/.test(rest) && readReminderTime(rest, reader).time.kind !== 'no_time'
  const isUnsure = hasOtherTime || isUnsureTime(text, read, wish, reader.now)
  return isUnsure ? { ...read, time: { kind: 'no_time', hasDay: false } } : read
}

/** Minutes of a snooze, and the remaining text. @throws BadRequestError for a time that can't be used, such as a day alone */
function readSnooze(sentence: string, caller: AgentContext, reader: RequestContext): { minutes: number; rest: string } {
  const sentenceWithClocks = sentence.replace(
    clockPattern,
    (_all, hour: string, minutes = '00') => `${hour}:${minutes}`,
  )
  const sentenceWithDurations = withDuration(sentenceWithClocks, reader.language)
  const text =
    durationOf(sentenceWithClocks) === null && durationOf(sentenceWithDurations) !== null
      ? sentenceWithDurations
      : sentenceWithClocks
  const { time } = readReminderTime(text, reader)
  const durationMinutes = durationOf(text)
  const { rest } = readReminderTime(durationMinutes === null ? text : text.replace(durationPattern, ' '), reader)
  // "the daily reminder" says which reminder is meant, not until when to snooze it.
  const isUntimed =
    time.kind === 'no_time' &&
    (durationMinutes !== null || time.isRecurring || (!time.hasDay && !unreadClock.test(rest)))
  const until = isUntimed ? null : requireTime(time, caller)
  if (durationMinutes !== null) return { minutes: durationMinutes, rest }
  if (until?.kind !== 'at') return { minutes: SNOOZE_MINUTES, rest }
  return { minutes: Math.max(1, Math.ceil((until.at.getTime() - caller.now.getTime()) / MINUTE_MS)), rest }
}

function trimEdges(text: string, language: Language): string {
  const { start, end } = edgeWords[language]
  return text.replace(/\s+/gu, ' ').replace(start, '').replace(end, '').trim()
}
