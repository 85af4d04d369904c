import { describe, expect, it } from 'vitest'
import { createDayNames, groupByDay } from './days.ts'

const labels = { today: 'Today', yesterday: 'Yesterday' }
const now = new Date('2026-11-20T02:00:00Z')

describe('createDayNames', () => {
  it('names today, yesterday and other days', () => {
    const days = createDayNames('en', 'UTC', now, labels)
    expect(days.nameOf('2026-11-20T00:00:00Z')).toBe('Today')
    expect(days.nameOf('2026-11-19T23:59:59Z')).toBe('Yesterday')
    expect(days.nameOf('2026-11-18T12:00:00Z')).toBe('Wednesday, November 18')
    expect(days.nameOf('2025-11-18T12:00:00Z')).toBe('November 18, 2025')
  })

  it('uses the days of the time zone', () => {
    const days = createDayNames('en', 'America/Los_Angeles', now, labels)
    expect(days.nameOf('2026-11-20T01:00:00Z')).toBe('Today')
    expect(days.nameOf('2026-11-19T07:59:00Z')).toBe('Yesterday')
    expect(days.keyOf('2026-11-19T07:59:00Z')).toBe('2026-11-18')
  })

  it('finds yesterday across a daylight saving change', () => {
    const days = createDayNames('en', 'America/New_York', new Date('2026-11-02T04:30:00Z'), labels)
    expect(days.nameOf('2026-11-01T04:10:00Z')).toBe('Today')
    expect(days.nameOf('2026-11-01T03:50:00Z')).toBe('Yesterday')
  })

  it('formats days in the given language', () => {
    expect(createDayNames('de', 'UTC', now, labels).nameOf('2026-11-18T12:00:00Z')).toBe('Mittwoch, 18. November')
  })
})

describe('groupByDay', () => {
  it('groups consecutive items of the same day', () => {
    const days = createDayNames('en', 'UTC', now, labels)
    const timestamps = ['2026-11-20T01:00:00Z', '2026-11-20T00:30:00Z', '2026-11-19T12:00:00Z']
    expect(groupByDay(timestamps, (timestamp) => timestamp, days)).toEqual([
      { key: '2026-11-20', name: 'Today', items: timestamps.slice(0, 2) },
      { key: '2026-11-19', name: 'Yesterday', items: timestamps.slice(2) },
    ])
  })
  it('gives a day that occurs twice two keys, of which that of the newest stays when older items are added', () => {
    const days = createDayNames('en', 'UTC', now, labels)
    const keysOf = (timestamps: string[]) =>
      groupByDay(timestamps, (timestamp) => timestamp, days).map(({ key }) => key)
    const timestamps = ['2026-11-20T00:01:00Z', '2026-11-19T23:59:00Z', '2026-11-20T00:02:00Z']
    expect(new Set(keysOf(timestamps)).size).toBe(3)
    expect(keysOf(timestamps).at(-1)).toBe(keysOf(timestamps.slice(1)).at(-1))
  })
})
