import { describe, expect, test } from 'vitest'
import { newId } from '../../../platform/database/new-id.ts'
import { readSessionCursor, writeSessionCursor } from './sessions.service.ts'
import type { SessionSort } from './sessions.store.ts'

const cursorOf = (sort: SessionSort, value: string | number) =>
  writeSessionCursor({ value, id: newId(), isPinned: false }, { sort, order: 'asc' })

describe('a cursor', () => {
  test.each<[SessionSort, string | number]>([
    ['updated', new Date().toISOString()],
    ['name', 'x'],
    ['messages', 4],
    ['tokens', '123456789012'],
    ['tokens', 0],
    ['response_time', -1],
    ['response_time', 1234.5678],
  ])('of %s with %j can be read back', (sort, value) => {
    expect(readSessionCursor(cursorOf(sort, value), { sort, order: 'asc' })).toMatchObject({ value, isPinned: false })
  })

  test.each<[SessionSort, string | number]>([
    ['updated', '0000-01-01T00:00:00.000Z'],
    ['updated', `2026-01-01T00:00:00.${'1'.repeat(300)}Z`],
    ['updated', 5],
    ['name', 'a\0b'],
    ['messages', ''],
    ['messages', '4'],
    ['messages', 1.5],
    ['messages', 3_000_000_000],
    ['tokens', ''],
    ['tokens', '0x1f'],
    ['tokens', 1e300],
    ['response_time', ''],
    ['response_time', 'Infinity'],
  ])('of %s with %j is rejected', (sort, value) => {
    expect(() => readSessionCursor(cursorOf(sort, value), { sort, order: 'asc' })).toThrow('isn’t from this list')
  })

  test('of another order or in an invalid format is rejected', () => {
    expect(() => readSessionCursor(cursorOf('name', 'x'), { sort: 'name', order: 'desc' })).toThrow(
      'isn’t from this list',
    )
    expect(() => readSessionCursor('nonsense', { sort: 'name', order: 'asc' })).toThrow('isn’t from this list')
  })
})
