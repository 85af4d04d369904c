import type { Language } from '@mira/shared/constants/languages'
import { describe, expect, it } from 'vitest'
import { localeOf } from '../i18n/i18n.ts'
import { clock, createFormat } from './format.ts'

const english = createFormat('en', 'UTC')
const german = createFormat('de', 'America/New_York')
/** Replaces the no-break spaces that some languages put between numbers and units. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

it('a range of days excludes its end', () => {
  expect(plain(english.days('2026-06-01T00:00:00Z', '2026-09-01T00:00:00Z'))).toMatch(/^Jun 1\s–\sAug 31, 2026$/)
  expect(english.days('2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z')).toBe('Jun 1, 2026')
  expect(german.days('2026-06-01T04:00:00Z', '2026-06-02T04:00:00Z')).toBe('01.06.2026')
})

describe('relative times', () => {
  const now = new Date('2026-11-20T12:00:00Z')
  it.each([
    ['2026-11-20T11:59:31Z', 'now'],
    ['2026-11-20T11:59:00Z', '1 minute ago'],
    ['2026-11-20T11:00:01Z', '59 minutes ago'],
    ['2026-11-20T11:00:00Z', '1 hour ago'],
    ['2026-11-19T12:00:01Z', '23 hours ago'],
    ['2026-11-19T12:00:00Z', '1 day ago'],
    ['2026-09-01T12:00:00Z', '80 days ago'],
    ['2026-11-24T12:00:00Z', 'in 4 days'],
  ])('of %s are minutes under 60, hours under 24, days otherwise: %s', (moment, text) => {
    expect(english.relative(moment, now)).toBe(text)
  })

  it('are in the user’s language', () => {
    expect(german.relative('2026-11-20T10:00:00Z', now)).toBe('vor 2 Stunden')
    expect(createFormat('fr', 'UTC').relative('2026-11-17T12:00:00Z', now)).toBe('il y a 3 jours')
    expect(createFormat('es', 'UTC').relative('2026-11-20T11:55:00Z', now)).toBe('hace 5 minutos')
  })
})

it('times are in the user’s time zone', () => {
  expect(plain(english.dateTime('2026-11-20T03:05:00Z'))).toBe('Nov 20, 2026, 3:05 AM')
  expect(german.dateTime('2026-11-20T03:05:00Z')).toBe('19.11.2026, 22:05')
  expect(german.date('2026-11-20T03:05:00Z')).toBe('19.11.2026')
  expect(german.time(new Date('2026-11-20T03:05:00Z'))).toBe('22:05')
})

it('dates, times and numbers follow the browser’s region if the browser prefers the user’s language', () => {
  const formatFor = (language: Language, ...locales: string[]) => createFormat(localeOf(language, locales), 'UTC')
  const moment = '2026-11-05T15:05:00Z'
  expect(plain(formatFor('en', 'en-GB', 'en').dateTime(moment))).toBe('5 Nov 2026, 15:05')
  expect(plain(formatFor('en', 'en-AU').time(moment))).toBe('3:05 pm')
  expect(plain(formatFor('en', 'de-DE', 'de', 'en-GB').date(moment))).toBe('5 Nov 2026')
  expect(plain(formatFor('en', 'en-US', 'en-GB').dateTime(moment))).toBe('Nov 5, 2026, 3:05 PM')
  // a browser in another language has no region for this one
  expect(plain(formatFor('en', 'de-AT').dateTime(moment))).toBe('Nov 5, 2026, 3:05 PM')
  expect(plain(formatFor('de', 'de-AT').number(12_345.6, 1))).toBe('12 345,6')
  expect(plain(formatFor('fr', 'fr-CA', 'fr').time(moment))).toBe('15 h 05')
  expect(formatFor('es', 'es-MX').number(12_345.6, 1)).toBe('12,345.6')
  expect(localeOf('en', ['en-US@posix'])).toBe('en')
})

it('numbers are formatted in the user’s language', () => {
  expect([english.number(1234.56), english.number(1234.56, 1), german.number(1234.56, 1)]).toEqual([
    '1,235',
    '1,234.6',
    '1.234,6',
  ])
  expect([english.percent(98.46), english.percent(98, 0), plain(german.percent(98.46))]).toEqual([
    '98.5%',
    '98%',
    '98,5 %',
  ])
  expect([english.bytes(0), english.bytes(1536), english.bytes(5 * 1024 ** 3)]).toEqual(['0 B', '1.5 kB', '5.0 GB'])
  expect(english.megabytes(2_453_667)).toBe('2.34 MB')
})

it('dollars have cents, and amounts below a cent aren’t rounded to zero', () => {
  expect([0.5, 0.999, 0.0034, 1.2].map(english.dollars)).toEqual(['$0.50', '$1.00', '$0.0034', '$1.20'])
  expect([0.5, 0.999, 0.0034].map((value) => plain(german.dollars(value)))).toEqual(['0,50 $', '1,00 $', '0,0034 $'])
})

it('durations are abbreviated', () => {
  expect([0.84, 12.4, 59.6, 125, 3725].map(english.duration)).toEqual(['0.8 s', '12 s', '1m 0s', '2m 5s', '1h 2m'])
})

it('positions in a video are formatted as m:ss', () => {
  expect([0, 65, 83.9, 3665].map(clock)).toEqual(['0:00', '1:05', '1:23', '1:01:05'])
})
