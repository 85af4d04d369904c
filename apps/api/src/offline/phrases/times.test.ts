import { DateTime } from 'luxon'
import { expect, test, vi } from 'vitest'
import { readTimes } from './times.ts'

test.each(['a ', '1 ', 'boathouse ', 'seit '])('runs few regexes per word in a long text without times: %j', (word) => {
  const words = 1000
  const exec = vi.spyOn(RegExp.prototype, 'exec')
  try {
    expect(readTimes(word.repeat(words), DateTime.utc(2026, 5, 1), 'en')).toEqual([])
    expect(exec.mock.calls.length).toBeLessThan(words * 60)
  } finally {
    exec.mockRestore()
  }
})

const today = DateTime.utc(2026, 11, 19, 13)

/** Range of days of the first time in a text, its end exclusive; null for none. */
const daysOf = (text: string, day = today) => {
  const [time] = readTimes(text, day, null)
  return time === undefined ? null : `${time.from?.toISODate()}..${time.to?.toISODate()}`
}

test.each([
  ['photos from the 1920s', '1920-01-01..1930-01-01'],
  ['photos from the 1980s', '1980-01-01..1990-01-01'],
  ["photos from the '20s", '2020-01-01..2030-01-01'],
  ['photos from the 2010s', '2010-01-01..2020-01-01'],
  ['photos from the 2030s', null],
  ['photos from the 30s', '1930-01-01..1940-01-01'],
  ['Fotos aus den 1920er Jahren', '1920-01-01..1930-01-01'],
  ['Fotos aus den 20ern', '2020-01-01..2030-01-01'],
  ['photos des années 1920', '1920-01-01..1930-01-01'],
  ['photos dans les années 80', '1980-01-01..1990-01-01'],
  ['fotos de los años 1920', '1920-01-01..1930-01-01'],
  ['fotos de los años 80', '1980-01-01..1990-01-01'],
  ['fotos en los 90', '1990-01-01..2000-01-01'],
])('reads a decade with or without its century, never a future one: %s', (text, days) => {
  expect(daysOf(text)).toBe(days)
})

test.each([
  ['photos from 12/25/2025', '2025-12-25..2025-12-26'],
  ['photos from 25/12/2025', '2025-12-25..2025-12-26'],
  ['photos from 3/4/2025', '2025-04-03..2025-04-04'],
  ['photos from 13/25/2025', null],
])('reads a numeric date with the day or the month first: %s', (text, days) => {
  expect(daysOf(text)).toBe(days)
})

test('reads a day without a year as the latest one in the past', () => {
  expect(daysOf('photos from 29 February')).toBe('2024-02-29..2024-03-01')
  expect(daysOf('photos from 29 February', DateTime.utc(2028, 2, 28))).toBe('2024-02-29..2024-03-01')
  expect(daysOf('photos from 29 February', DateTime.utc(1904, 2, 1))).toBe('1896-02-29..1896-03-01')
  expect(daysOf('photos from 20 November')).toBe('2025-11-20..2025-11-21')
  expect(daysOf('photos from 31 April')).toBeNull()
})

test.each([
  ['photos model 1/18', null],
  ['bilder modellauto 1/18', null],
  ['videos 16/9', null],
  ['vidéos 16/9', null],
  ['fotos gimnasio 24/7', null],
  ['photos gym 24/7', null],
  ['fotos 24.12.', '2025-12-24..2025-12-25'],
  ['fotos del 24/7', '2026-07-24..2026-07-25'],
  ['photos of the last quarter moon', null],
  ['photos from the last quarter-final', null],
  ['invoices from the last quarter', '2026-07-01..2026-10-01'],
  ['last quarter office results', '2026-07-01..2026-10-01'],
  ['last quarter notes', '2026-07-01..2026-10-01'],
  ['last quarter results', '2026-07-01..2026-10-01'],
])('tells fractions and names from days: %s', (text, days) => {
  expect(daysOf(text)).toBe(days)
})

test.each([
  ['photos from Sunday last week', '2026-11-15..2026-11-16'],
  ["last week's Sunday", '2026-11-15..2026-11-16'],
  ['Fotos vom Sonntag der letzten Woche', '2026-11-15..2026-11-16'],
  ['fotos del domingo de la semana pasada', '2026-11-15..2026-11-16'],
  ['photos de dimanche de la semaine dernière', '2026-11-15..2026-11-16'],
  ['photos 28 Dec - 3 Jan', '2025-12-28..2026-01-04'],
  ['photos from Aug 10 - Nov 12, 2024', '2024-08-10..2024-11-13'],
  ['Fotos 28. Dezember bis 3. Januar', '2025-12-28..2026-01-04'],
  ['photos 10 août - 12 septembre 2025', '2025-08-10..2025-09-13'],
  ['fotos del 28 de diciembre al 3 de enero', '2025-12-28..2026-01-04'],
  ['photos 2019 - 2021', '2019-01-01..2022-01-01'],
  ['photos from 3 Aug 96', '1996-08-03..1996-08-04'],
  ['photos from Aug 96', '1996-08-01..1996-09-01'],
  ['photos du 31 octobre 74', '1974-10-31..1974-11-01'],
  ['letter from 3 May 80 euros', '2026-05-03..2026-05-04'],
  ['photos from 2012/8/10', '2012-08-10..2012-08-11'],
  ['fotos 10 agosto 2012', '2012-08-10..2012-08-11'],
  ['photos from the past week', '2026-11-12..2026-11-20'],
  ['photos from the week of October 6th', '2026-10-05..2026-10-12'],
  ['Woche vom 5. bis 9. Mai', '2026-05-05..2026-05-10'],
  ['week of 5-9 May', '2026-05-05..2026-05-10'],
  ['last year of photos', '2025-01-01..2026-01-01'],
  ['Fotos meiner Frau im Mai', '2026-05-01..2026-06-01'],
  ['fotos familie dezember', '2025-12-01..2026-01-01'],
  ['fotos meine frau juni', '2026-06-01..2026-07-01'],
  ['Fotos aus der Woche vom 6. Oktober', '2026-10-05..2026-10-12'],
  ["photos au début du mois d'avril", '2026-04-01..2026-04-11'],
  ["photos en début d'année", '2026-01-01..2026-05-01'],
  ['photos from this week-end', '2026-11-14..2026-11-16'],
  ['Fotos von Karfreitag', '2026-04-03..2026-04-04'],
  ['fotos del viernes santo', '2026-04-03..2026-04-04'],
  ['photos from Easter Monday 2024', '2024-04-01..2024-04-02'],
])('reads a phrase of other programs as they do: %s', (text, days) => {
  expect(daysOf(text)).toBe(days)
})

test.each([
  ['receipt 3 may 89,90', '2026-05-03..2026-05-04'],
  ['12. Juni 70. Geburtstag', '2026-06-12..2026-06-13'],
  ['12 june 90 minutes recording', '2026-06-12..2026-06-13'],
  ['5 may 70 mm lens', '2026-05-05..2026-05-06'],
  ['march 7 65 inch tv', '2026-03-07..2026-03-08'],
  ['photos from last year of grandma', '2025-01-01..2026-01-01'],
  ['Fotos aus dem letzten Jahr der Kinder', '2025-01-01..2026-01-01'],
  ['fotos de la última semana de Ana', '2026-11-09..2026-11-16'],
  ['the last year of school', null],
  ['our last year of photos in leeds', null],
  ['the last day of invoices', null],
  ['invoice no 2024/3/17', null],
  ['file 2023/5/6.jpg', null],
])('takes no count, price or number for a year or day: %s', (text, days) => {
  expect(daysOf(text)).toBe(days)
})

test.each([
  'photos from next Tuesday',
  'photos on Friday next week',
  'photos from next October',
  'Fotos am Dienstag nächste Woche',
  'photos de mardi prochain',
  'kommender Mai',
  'Treffen mit Frau Mai',
  'fotos el martes que viene',
  'photos from the last day of our trip',
  'Fotos vom letzten Tag der Reise',
  'fotos el último día de las vacaciones',
])('ignores a future day or a day of something else: %s', (text) => {
  expect(daysOf(text)).toBeNull()
})
