import type { Recurrence } from '@mira/shared'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { beginSeries, nextOccurrence } from './recurrence.ts'

function begin(...series: Parameters<typeof beginSeries>) {
  const started = beginSeries(...series)
  if (started === null) throw new Error('The series has no first occurrence.')
  return started
}

/** First occurrences of a series as local times with their UTC offset. */
function occurrences(recurrence: Recurrence, zone: string, notBefore: string, count: number): string[] {
  const { series, first } = begin(recurrence, zone, DateTime.fromISO(notBefore, { zone }).toJSDate())
  const all = [first]
  while (all.length < count) all.push(nextOccurrence(series, zone, all.at(-1) as Date) as Date)
  return all.map((date) => DateTime.fromJSDate(date, { zone }).toFormat("yyyy-MM-dd'T'HH:mmZZ"))
}

const MADRID = 'Europe/Madrid'

describe('a series', () => {
  test.each<[string, Recurrence, string, string, string[]]>([
    [
      'every day keeps its time when clocks go forward, but is an hour later on a day without that time',
      { every: 1, unit: 'day', time: '02:30' },
      MADRID,
      '2026-03-28T00:00',
      ['2026-03-28T02:30+01:00', '2026-03-29T03:30+02:00', '2026-03-30T02:30+02:00'],
    ],
    [
      'every day occurs once on the day when clocks go back',
      { every: 1, unit: 'day', time: '02:30' },
      MADRID,
      '2026-10-24T12:00',
      ['2026-10-25T02:30+02:00', '2026-10-26T02:30+01:00', '2026-10-27T02:30+01:00'],
    ],
    [
      'every seven days uses the earlier of two equal times when clocks go back',
      { every: 7, unit: 'day', time: '02:30' },
      MADRID,
      '2026-10-18T00:00',
      ['2026-10-18T02:30+02:00', '2026-10-25T02:30+02:00', '2026-11-01T02:30+01:00'],
    ],
    [
      'on the 31st falls on the last day of shorter months',
      { every: 1, unit: 'month' },
      MADRID,
      '2026-01-31T09:00',
      ['2026-01-31T09:00+01:00', '2026-02-28T09:00+01:00', '2026-03-31T09:00+02:00', '2026-04-30T09:00+02:00'],
    ],
    [
      'on 29 February falls on the 28th in other years',
      { every: 1, unit: 'year' },
      'UTC',
      '2028-02-29T08:00',
      [
        '2028-02-29T08:00+00:00',
        '2029-02-28T08:00+00:00',
        '2030-02-28T08:00+00:00',
        '2031-02-28T08:00+00:00',
        '2032-02-29T08:00+00:00',
      ],
    ],
    [
      'on weekdays skips the weekend',
      { every: 1, unit: 'week', weekdays: [5, 1, 2, 3, 4], time: '09:00' },
      'America/New_York',
      '2026-03-05T10:00',
      ['2026-03-06T09:00-05:00', '2026-03-09T09:00-04:00', '2026-03-10T09:00-04:00'],
    ],
    [
      'every other week counts weeks from Monday',
      { every: 2, unit: 'week', weekdays: [1, 7], time: '10:00' },
      'UTC',
      '2026-01-07T00:00',
      ['2026-01-11T10:00+00:00', '2026-01-19T10:00+00:00', '2026-01-25T10:00+00:00'],
    ],
    [
      'every week starts on a day with two midnights',
      { every: 1, unit: 'week' },
      'Atlantic/Azores',
      '2026-10-25T09:00',
      ['2026-10-25T09:00-01:00', '2026-11-01T09:00-01:00'],
    ],
    [
      'on one weekday starts next week when today’s time has passed',
      { every: 1, unit: 'week', weekdays: [3], time: '09:00' },
      'UTC',
      '2026-01-07T09:01',
      ['2026-01-14T09:00+00:00', '2026-01-21T09:00+00:00'],
    ],
    [
      'every day starts tomorrow when today’s time has passed',
      { every: 1, unit: 'day', time: '08:00' },
      'Asia/Kolkata',
      '2026-01-07T08:01',
      ['2026-01-08T08:00+05:30', '2026-01-09T08:00+05:30'],
    ],
    [
      'every hour counts elapsed hours when clocks change',
      { every: 1, unit: 'hour' },
      MADRID,
      '2026-03-29T00:30',
      ['2026-03-29T00:30+01:00', '2026-03-29T01:30+01:00', '2026-03-29T03:30+02:00'],
    ],
    [
      'every 45 minutes crosses midnight',
      { every: 45, unit: 'minute' },
      'UTC',
      '2026-01-01T23:30',
      ['2026-01-01T23:30+00:00', '2026-01-02T00:15+00:00', '2026-01-02T01:00+00:00'],
    ],
    [
      'at midnight is an hour later only on a day without midnight',
      { every: 1, unit: 'day', time: '00:00' },
      'America/Santiago',
      '2026-09-05T12:00',
      ['2026-09-06T01:00-03:00', '2026-09-07T00:00-03:00'],
    ],
  ])('%s', (_name, recurrence, zone, from, expected) => {
    expect(occurrences(recurrence, zone, from, expected.length)).toEqual(expected)
  })

  test('continues at its next occurrence after years without a check', () => {
    const { series } = begin({ every: 1, unit: 'minute' }, 'UTC', new Date('2000-01-01T00:00:30Z'))
    expect(nextOccurrence(series, 'UTC', new Date('2026-05-05T05:05:05Z'))?.toISOString()).toBe(
      '2026-05-05T05:05:30.000Z',
    )
    const daily = begin({ every: 3, unit: 'day' }, 'UTC', new Date('2000-01-01T06:00:00Z')).series
    const next = nextOccurrence(daily, 'UTC', new Date('2026-05-05T05:05:05Z')) as Date
    expect((next.getTime() - Date.parse('2000-01-01T06:00:00Z')) % (3 * 86_400_000)).toBe(0)
    expect(next.getTime() - Date.parse('2026-05-05T05:05:05Z')).toBeLessThanOrEqual(3 * 86_400_000)
  })

  test.each<Recurrence>([
    { every: 1000, unit: 'hour' },
    { every: 1000, unit: 'week' },
    { every: 1000, unit: 'year' },
    { every: 1, unit: 'week', weekdays: [] },
  ])('%j has no occurrence after the year 8999', (recurrence) => {
    const { series } = begin(recurrence, 'UTC', new Date('2026-05-05T05:05:00Z'))
    for (const after of ['8999-12-31T23:59:59Z', '+275760-01-01T00:00:00Z']) {
      expect(nextOccurrence(series, 'UTC', new Date(after))).toBeNull()
    }
  })
})
