import { expect, it } from 'vitest'
import { allTimeZones } from '../../../lib/format/time-zones.ts'
import { zoneRegion } from './region-card.tsx'

it('names the region of a time zone in the user’s language', () => {
  expect(zoneRegion('Europe/Berlin', 'de')).toBe('Europa')
  expect(zoneRegion('America/Argentina/Salta', 'de')).toBe('Amerika Argentina')
  expect(zoneRegion('America/North_Dakota/Center', 'es')).toBe('América North Dakota')
  expect(['UTC', 'Atlantic/Azores'].map((zone) => zoneRegion(zone, 'fr'))).toEqual(['', ''])
})

it('no time zone has a region code instead of a name', () => {
  expect(allTimeZones().filter((zone) => /\d/.test(zoneRegion(zone, 'de')))).toEqual([])
})
