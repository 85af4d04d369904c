import type { Language } from '@mira/shared'
import { expect, test } from 'vitest'
import { tellTime } from './clock.ts'

const tell = (language: Language, message: string) =>
  tellTime(message, { language, timeZone: 'Europe/Berlin', now: new Date('2026-11-30T23:30:00Z') })

test.each<[Language, string, string]>([
  ['en', 'What time is it?', 'It’s 00:30 on Tuesday, 1 December 2026.'],
  ['en', 'could you tell me the time please', 'It’s 00:30 on Tuesday, 1 December 2026.'],
  ['en', "what's today's date", 'Today is Tuesday, 1 December 2026.'],
  ['en', 'what day is it tomorrow', 'Tomorrow is Wednesday, 2 December 2026.'],
  ['en', 'what time is it in Tokyo right now', 'Tokyo: 08:30, Tuesday, 1 December 2026 (Japan Standard Time).'],
  ['en', 'time in Portland, Oregon', 'Portland, Oregon: 15:30, Monday, 30 November 2026 (Pacific Standard Time).'],
  [
    'en',
    "what's the time in Dallas, Texas?",
    'Dallas, Texas: 17:30, Monday, 30 November 2026 (Central Standard Time).',
  ],
  [
    'en',
    'what time is it in Trinidad and Tobago',
    'Trinidad and Tobago: 19:30, Monday, 30 November 2026 (Atlantic Standard Time).',
  ],
  [
    'en',
    'time in Adelaide, Australia',
    'Adelaide, Australia: 10:00, Tuesday, 1 December 2026 (Australian Central Daylight Time).',
  ],
  [
    'en',
    'what time is it in Washington state',
    'Washington state: 15:30, Monday, 30 November 2026 (Pacific Standard Time).',
  ],
  ['en', 'time in New York, USA', 'New York, USA: 18:30, Monday, 30 November 2026 (Eastern Standard Time).'],
  ['en', 'what time is it in London, Ontario', 'I don’t know which time zone London, Ontario is in. Here it’s 00:30.'],
  ['en', 'what time is it in Rome, Georgia', 'I don’t know which time zone Rome, Georgia is in. Here it’s 00:30.'],
  ['en', 'what time is it in Paris, Texas', 'I don’t know which time zone Paris, Texas is in. Here it’s 00:30.'],
  ['en', 'time in pacific standard time', 'pacific: 15:30, Monday, 30 November 2026 (Pacific Standard Time).'],
  ['en', 'which timezone is Jamaica in', 'Jamaica: 18:30, Monday, 30 November 2026 (Eastern Standard Time).'],
  ['en', 'what time is it in Narnia', 'I don’t know which time zone Narnia is in. Here it’s 00:30.'],
  ['en', 'what time is it in the Isle of Man?', 'Isle of Man: 23:30, Monday, 30 November 2026 (Greenwich Mean Time).'],
  [
    'en',
    'what’s the time in Tokyo right now, in Japan?',
    'Tokyo Japan: 08:30, Tuesday, 1 December 2026 (Japan Standard Time).',
  ],
  [
    'de',
    'Wie spät ist es in Trinidad und Tobago?',
    'Trinidad und Tobago: 19:30, Montag, 30. November 2026 (Atlantik-Normalzeit).',
  ],
  [
    'es',
    '¿Qué hora es en Bosnia y Herzegovina?',
    'Bosnia y Herzegovina: 0:30, martes, 1 de diciembre de 2026 (hora estándar de Europa central).',
  ],
  [
    'fr',
    'Quelle heure est-il en Côte d’Ivoire ?',
    'Côte d’Ivoire\u00a0: 23:30, lundi 30 novembre 2026 (heure moyenne de Greenwich).',
  ],
  ['de', 'Wie spät ist es?', 'Es ist 00:30 Uhr, Dienstag, 1. Dezember 2026.'],
  ['de', 'Wie viel Uhr ist es in Peking?', 'Peking: 07:30, Dienstag, 1. Dezember 2026 (Chinesische Normalzeit).'],
  ['de', 'Den Wievielten haben wir heute?', 'Heute ist Dienstag, 1. Dezember 2026.'],
  ['de', 'Welcher Tag war gestern?', 'Gestern war Montag, 30. November 2026.'],
  ['es', '¿Qué hora es?', 'Hora actual: 0:30, martes, 1 de diciembre de 2026.'],
  ['es', '¿Qué día es mañana?', 'Mañana es miércoles, 2 de diciembre de 2026.'],
  ['es', '¿A cuántos estamos?', 'Hoy es martes, 1 de diciembre de 2026.'],
  ['fr', 'Quelle heure est-il ?', 'Il est 00:30, le mardi 1 décembre 2026.'],
  ['fr', 'On est quel jour aujourd’hui ?', 'Aujourd’hui, c’est le mardi 1 décembre 2026.'],
  ['es', '¿Qué hora es en la India?', 'India: 5:00, martes, 1 de diciembre de 2026 (hora estándar de la India).'],
  [
    'fr',
    'Quelle heure est-il à Londres ?',
    'Londres\u00a0: 23:30, lundi 30 novembre 2026 (heure moyenne de Greenwich).',
  ],
  ['en', 'what time is it for London?', 'London: 23:30, Monday, 30 November 2026 (Greenwich Mean Time).'],
  ['en', 'do you know what time it is', 'It’s 00:30 on Tuesday, 1 December 2026.'],
  ['en', 'what’s the time in Narnia', 'I don’t know which time zone Narnia is in. Here it’s 00:30.'],
  [
    'es',
    '¿Qué hora es en Córdoba?',
    'Córdoba: 0:30, martes, 1 de diciembre de 2026 (hora estándar de Europa central).',
  ],
  [
    'es',
    '¿Qué hora es en Granada?',
    'Granada: 0:30, martes, 1 de diciembre de 2026 (hora estándar de Europa central).',
  ],
  [
    'fr',
    'Quelle heure est-il à Vincennes ?',
    'Vincennes\u00a0: 00:30, mardi 1 décembre 2026 (heure normale d’Europe centrale).',
  ],
])('%s: %s', (language, message, expected) => {
  expect(tell(language, message)).toBe(expected)
})

test.each<[Language, string]>([
  ['en', 'What time is the meeting?'],
  ['en', 'is it time for lunch'],
  ['en', 'what is the date of the contract'],
  ['en', 'what day is Christmas'],
  ['en', 'what day is constructor'],
  ['en', 'what time does the last train arrive in Dallas'],
  ['en', 'wake me up at this time'],
  ['de', 'Wie viel Zeit haben wir?'],
  ['es', '¿A qué hora es la cena?'],
  ['fr', 'À quelle heure est la réunion ?'],
  // a time other than now
  ['en', 'what day of the week was 14/07/1989'],
  ['en', 'the year 2019'],
  ['de', '18 Uhr in London'],
  ['en', 'what time is 9 in New York'],
  ['en', 'what was the date'],
  ['en', 'what day was that'],
  ['de', 'Welcher Tag war das?'],
  ['es', '¿A qué hora fue?'],
  ['fr', 'quelle heure était-il'],
  ['de', 'Wie war die Zeit in Island'],
  // agendas and objects
  ['en', 'what do I have on this day'],
  ['en', 'this year'],
  ['en', 'do I have the time'],
  ['en', "what's the time in my calendar"],
  ['en', 'what time is it in the video'],
  ['de', 'ein Tag in Paris'],
  ['de', 'Zeit für uns'],
  ['de', 'Uhr in der Küche'],
  ['es', 'el año en Berlín'],
  ['fr', 'l’année à Londres'],
  ['fr', 'tout le mois'],
  ['fr', 'à quelle heure'],
  ['en', 'time for Jordan'],
  // several places and clocks
  ['en', 'what time is it in London and Tokyo'],
  ['de', 'Wie spät ist es in London oder Paris?'],
  ['es', '¿Qué hora es en Londres y Tokio?'],
  ['fr', 'Quelle heure est-il à Londres et Tokyo ?'],
  ['en', 'what time is it in the US'],
  // the time of something
  ['en', 'what time will we be there'],
  ['en', 'what time will it be over'],
  ['en', 'what time can we get it'],
  ['en', 'what time would you like'],
  ['en', 'what day will you be here'],
  ['en', 'at what time is it'],
  ['en', 'what was the day like yesterday'],
  ['es', '¿De qué año es?'],
  ['es', '¿Qué día necesito?'],
  ['fr', 'De quelle année est-ce ?'],
  ['fr', 'Quel jour peux-tu ?'],
  ['de', 'Von welchem Jahr ist das?'],
  ['de', 'Welchen Tag können wir?'],
  ['de', 'Wie war der Tag gestern?'],
  ['en', 'time of Christmas'],
  ['en', 'which day is it at Easter'],
  ['en', 'what time is it in the center'],
])('doesn’t answer in %s: “%s”', (language, message) => {
  expect(tell(language, message)).toBeNull()
})

test('counts calendar days across a clock change, with a day of 25 hours', () => {
  const reader = { language: 'en', timeZone: 'Europe/Berlin', now: new Date('2026-10-24T22:30:00Z') } as const
  expect(tellTime('what day is it tomorrow', reader)).toBe('Tomorrow is Monday, 26 October 2026.')
})
