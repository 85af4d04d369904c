import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFormat } from '../../lib/format/format.ts'
import { createDayOf } from './grid-layout.ts'
import { toGridItem } from './library-items.ts'

const sources = join(import.meta.dirname, '../..')

test.each(['Pacific/Kiritimati', 'UTC', 'America/Los_Angeles'])(
  'an item taken on New Year’s Eve is shown on that day in %s',
  (timeZone) => {
    const times = { taken_local: '2024-12-31T23:30:00', timestamp: '2025-01-01T07:30:00.000Z' }
    const format = createFormat('en', timeZone)
    expect(format.takenDay(times)).toBe('Dec 31, 2024')
    expect(format.localDateTime(times.taken_local)).toContain('Dec 31, 2024, 11:30')
    const metadata = { taken_local: times.taken_local, width: 1, height: 1, latitude: null, longitude: null }
    const item = toGridItem({ id: 'a', timestamp: times.timestamp, metadata, media_type: 'image' } as never)
    for (const sort of ['newest', 'oldest', 'taken'] as const)
      expect(createDayOf(sort, timeZone)?.(item)).toBe('2024-12-31')
  },
)

test('no screen converts the time taken to the viewer’s time zone', () => {
  const inViewersZone =
    /(?:metadata|item|result|hit)\.taken_at\b|format\.(?:date|time|dateTime|days|relative)\((?:item|result|media|hit)\.(?:timestamp|created_at)\)/
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name),
  )
  const offenders = files.filter((name) => inViewersZone.test(readFileSync(join(sources, name), 'utf8')))
  expect(offenders).toEqual([])
})
