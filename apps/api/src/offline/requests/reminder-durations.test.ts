import type { Language } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { type ReminderRow, readReminder } from '../../../test/reminder-reading.ts'

/** Durations of the task beside a day, which still needs a time, or a part of the day. */
const ofTask: ReminderRow[] = [
  ['en', 'tomorrow to walk for 30 minutes', 'a day without a time'],
  ['en', 'to study SQL normalization for 30 minutes tomorrow', 'a day without a time'],
  ['en', 'on Friday to practise piano for an hour', 'a day without a time'],
  ['en', 'tonight to meditate for 10 minutes', '2026-05-06T21:00 to meditate for 10 minutes'],
  ['fr', 'demain de méditer pendant 30 minutes', 'a day without a time'],
  ['fr', 'vendredi de jouer du piano pendant une heure', 'a day without a time'],
  ['fr', 'ce soir de méditer 10 minutes', '2026-05-06T19:00 de méditer 10 minutes'],
  ['es', 'mañana caminar 30 minutos', 'a day without a time'],
  ['es', 'el viernes tocar el piano una hora', 'a day without a time'],
  ['es', 'esta noche meditar durante 10 minutos', '2026-05-06T21:00 meditar durante 10 minutos'],
  ['de', 'morgen daran, für 30 Minuten zu laufen', 'a day without a time'],
  ['de', 'am Freitag eine Stunde Klavier zu üben', 'a day without a time'],
  // Nothing says when.
  ['en', 'to walk for 30 minutes', 'no time'],
  ['es', 'caminar 30 minutos', 'no time'],
  ['fr', 'de marcher pendant 30 minutes', 'no time'],
  ['de', 'daran, für 30 Minuten zu laufen', 'no time'],
  // A number before a unit isn't an hour.
  ['de', 'heute Abend 10 Minuten zu meditieren', '2026-05-06T19:00 heute 10 Minuten zu meditieren'],
]

const fromNow: ReminderRow[] = [
  ['en', 'in 20 minutes take the evening pills', '2026-05-06T10:20 take the evening pills'],
  ['en', 'in 20 minutes buy cake for Friday', '2026-05-06T10:20 buy cake for Friday'],
  ['en', 'call Anna 30 minutes from now', '2026-05-06T10:30 call Anna'],
  ['fr', 'dans 20 minutes prendre le médicament du soir', '2026-05-06T10:20 prendre le médicament du soir'],
  ['es', 'en 20 minutos tomar las pastillas de la noche', '2026-05-06T10:20 tomar las pastillas de la noche'],
  ['de', 'in 20 Minuten die Tabletten richten', '2026-05-06T10:20 die Tabletten richten'],
]

const inWords: ReminderRow[] = [
  ['es', 'en cuarenta y cinco minutos', '2026-05-06T10:45 '],
  ['es', 'en treinta y cinco minutos sacar la pizza', '2026-05-06T10:35 sacar la pizza'],
  ['es', 'en treinta y un minutos sacar la pizza', '2026-05-06T10:31 sacar la pizza'],
  ['es', 'en una hora y veinticinco minutos sacar el pan', '2026-05-06T11:25 sacar el pan'],
  ['es', 'en una hora y treinta y cinco minutos sacar el pan', '2026-05-06T11:35 sacar el pan'],
  ['es', 'dentro de veintiún minutos sacar el pan', '2026-05-06T10:21 sacar el pan'],
  ['es', 'en veinticuatro horas sacar el pan', '2026-05-07T10:00 sacar el pan'],
  ['es', 'en doscientos minutos sacar el pan', '2026-05-06T13:20 sacar el pan'],
  ['en', 'in twenty minutes check the oven', '2026-05-06T10:20 check the oven'],
  ['en', 'in twenty five minutes check the oven', '2026-05-06T10:25 check the oven'],
  ['en', 'in a hundred and twenty minutes check the oven', '2026-05-06T12:00 check the oven'],
  ['en', 'twenty second of May at 9am call Anna', '2026-05-22T09:00 call Anna'],
  ['fr', 'dans vingt-cinq minutes sortir la pizza', '2026-05-06T10:25 sortir la pizza'],
  ['fr', 'dans vingt et une minutes sortir la pizza', '2026-05-06T10:21 sortir la pizza'],
  ['fr', 'dans soixante-dix minutes sortir la pizza', '2026-05-06T11:10 sortir la pizza'],
  ['fr', 'dans quatre-vingt-dix-sept minutes sortir la pizza', '2026-05-06T11:37 sortir la pizza'],
  ['fr', 'dans quatre-vingts minutes sortir la pizza', '2026-05-06T11:20 sortir la pizza'],
  ['fr', 'dans deux cents minutes sortir la pizza', '2026-05-06T13:20 sortir la pizza'],
  ['de', 'in zwanzig Minuten Pizza holen', '2026-05-06T10:20 Pizza holen'],
  ['de', 'in fünfundvierzig Minuten Pizza holen', '2026-05-06T10:45 Pizza holen'],
]

describe('a duration in a reminder', () => {
  test.each(ofTask)('isn’t its time when it belongs to the task, in %s: %s', (language, sentence, expected) => {
    expect(readReminder(sentence, language)).toBe(expected)
  })

  test.each(fromNow)('counts from now after a word that says so, in %s: %s', (language, sentence, expected) => {
    expect(readReminder(sentence, language)).toBe(expected)
  })

  test.each(inWords)('is read whole when it’s in words, in %s: %s', (language, sentence, expected) => {
    expect(readReminder(sentence, language)).toBe(expected)
  })
})

test.each<[Language, string]>([
  ['fr', 'dix-sept '],
  ['fr', 'quatre-vingt-dix-neuf '],
  ['es', 'treinta y cinco '],
  ['en', 'a hundred and twenty-five '],
  ['de', 'fünfundvierzig '],
])('a text of many numbers is read without hanging in %s: %s', (language, number) => {
  expect(readReminder(`${number.repeat(Math.floor(1000 / number.length))}x`, language)).toBe('no time')
})
