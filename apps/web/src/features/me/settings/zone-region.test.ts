import { expect, it } from 'vitest'
import { allTimeZones } from '../../../lib/format/time-zones.ts'
import { zoneRegion } from './region-card.tsx'

it('says where a zone is in the language that is shown', () => {
  expect(zoneRegion('Europe/Berlin', 'de')).toBe('Europa')
  expect(zoneRegion('America/Argentina/Salta', 'de')).toBe('Amerika Argentina')
  expect(zoneRegion('America/North_Dakota/Center', 'es')).toBe('América North Dakota')
  expect(['UTC', 'Atlantic/Azores'].map((zone) => zoneRegion(zone, 'fr'))).toEqual(['', ''])
})

it('no zone of the world is told of by a code', () => {
  expect(allTimeZones().filter((zone) => /\d/.test(zoneRegion(zone, 'de')))).toEqual([])
})
