import { afterEach, expect, test, vi } from 'vitest'
import { timeOf } from './feed-times.ts'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['Mon, 30 Nov 2026', '2026-11-30T00:00'],
  ['5 August, 2026', '2026-08-05T00:00'],
  ['Mon Nov 30 16:29:06 2026', '2026-11-30T16:29'],
  ['Mon, 30 Nov 2026 10:00:00 GMT-07:00', '2026-11-30T17:00'],
  ['Mon, 30 Nov 2026 10:00:00 MEST', '2026-11-30T08:00'],
  ['Sat, Nov 28 2026 08:28:28 PM', '2026-11-28T20:28'],
  ['Monday, November 30, 2026 - 3:09pm', '2026-11-30T15:09'],
  ['Mon, November 30, 2026 at 01:11 PM EST', '2026-11-30T18:11'],
  ['Nov. 30, 2026, 12:37 p.m.', '2026-11-30T12:37'],
  ['Sat, 28th Nov 2026 09:32:20 GMT', '2026-11-28T09:32'],
  ['mar., 01 déc. 2026 16:11:02 +0100', '2026-12-01T15:11'],
  ['Lundi, 30. Novembre 2026 - 15:54', '2026-11-30T15:54'],
  ['Do, 26 Mär 2026 00:00:00 +0100', '2026-03-25T23:00'],
  ['3 de agosto de 2026', '2026-08-03T00:00'],
  ['Mon, 03 ago 2026 10:00:00 +0200', '2026-08-03T08:00'],
  ['30.11.26 09:15', '2026-11-30T09:15'],
  ['Fri, 26/06/2026', '2026-06-26T00:00'],
  ['Sat, 11 04 2026 08:51:49 +0100', '2026-04-11T07:51'],
  ['2026/1/10 14:33:00', '2026-01-10T14:33'],
  ['Mon, 31 zzz 2026 10:00:00 GMT', undefined],
  ['Mon, 30 Nov 2026 10:00:00 XYZ', undefined],
])('reads the time %j', (date, time) => {
  vi.stubEnv('TZ', 'America/New_York')
  expect(timeOf(date)?.slice(0, 16)).toBe(time)
})

test('orders days and months in digits as the feed’s language does', () => {
  const days = ['', 'en-US', 'en-gb', 'it'].map((language) => timeOf('03/04/2026 10:00', language)?.slice(0, 10))
  expect(days).toEqual(['2026-03-04', '2026-03-04', '2026-04-03', '2026-04-03'])
})
