import { expect, it, vi } from 'vitest'
import { allTimeZones, fromZonedField, isoDayIn, toZonedField, zonePlace } from './time-zones.ts'

it('lists all time zones, including UTC', () => {
  expect(allTimeZones()).toEqual(expect.arrayContaining(['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Tokyo']))
  expect(allTimeZones().length).toBeGreaterThan(300)
})

it('a time zone is named after its place', () => {
  expect(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'].map(zonePlace)).toEqual([
    'Berlin',
    'Buenos Aires',
    'UTC',
  ])
})

it('a place has its current name, whichever name the browser uses for its time zone', () => {
  expect(['Asia/Katmandu', 'Asia/Kathmandu', 'Europe/Kiev', 'Europe/Kyiv'].map(zonePlace)).toEqual([
    'Kathmandu',
    'Kathmandu',
    'Kyiv',
    'Kyiv',
  ])
})

it.each([
  ['2026-11-22T17:00:00Z', 'Europe/Berlin', '2026-11-22T18:00'],
  ['2026-07-01T16:00:00Z', 'Europe/Berlin', '2026-07-01T18:00'],
  ['2026-11-22T23:30:00Z', 'Asia/Kolkata', '2026-11-23T05:00'],
  ['2026-03-08T07:30:00Z', 'America/New_York', '2026-03-08T03:30'],
])('%s in %s is %s, and converts back', (moment, zone, field) => {
  expect(toZonedField(moment, zone)).toBe(field)
  expect(fromZonedField(field, zone)).toEqual(new Date(moment))
})

it('a day is formatted the same way in every browser', () => {
  // as Safari writes dates, whatever the locale
  const format = vi
    .spyOn(Intl.DateTimeFormat.prototype as { format: unknown }, 'format', 'get')
    .mockReturnValue(() => '11/22/2026')
  expect(isoDayIn('2026-11-22T23:30:00Z', 'Asia/Kolkata')).toBe('2026-11-23')
  expect(isoDayIn('2026-11-22T23:30:00Z', 'America/New_York')).toBe('2026-11-22')
  format.mockRestore()
})
