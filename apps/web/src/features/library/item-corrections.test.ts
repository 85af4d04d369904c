import { expect, test } from 'vitest'
import { shiftLocalTime, undoOf } from './use-fact-changes.ts'

const place = { latitude: 43.26, longitude: -2.92 }
const noPlace = { latitude: null, longitude: null }
const items = [
  { id: 'a', takenLocal: '2024-12-31T23:30:00', place, corrected: [] },
  { id: 'b', takenLocal: '2024-01-01T10:00:00', place, corrected: ['taken_at' as const] },
  { id: 'c', takenLocal: null, place: null, corrected: [] },
  { id: 'd', takenLocal: '2024-01-01T11:00:00', place, corrected: ['place' as const] },
]

test('shifts a local time regardless of the browser’s time zone', () => {
  expect(shiftLocalTime('2024-12-31T23:30:00', 3600)).toBe('2025-01-01T00:30:00')
  expect(shiftLocalTime('2024-03-31T01:30:00', 3600)).toBe('2024-03-31T02:30:00')
})

test('undo restores earlier corrections, and the values of the files for everything else', () => {
  expect(undoOf(items, { shift_seconds: 60 })).toEqual([
    { ids: ['a', 'c', 'd'], changes: { taken_at: null } },
    { ids: ['b'], changes: { taken_at: '2024-01-01T10:00:00' } },
  ])
  expect(undoOf(items, { latitude: 1, longitude: 2 })).toEqual([
    { ids: ['a', 'b', 'c'], changes: noPlace },
    { ids: ['d'], changes: place },
  ])
  expect(undoOf(items, noPlace)).toEqual([
    { ids: ['a', 'b', 'd'], changes: place },
    { ids: ['c'], changes: noPlace },
  ])
})
