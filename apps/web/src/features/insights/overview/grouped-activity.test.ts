import type { ActivityEntryJson } from '@mira/shared'
import { expect, test } from 'vitest'
import { groupActivity } from './recent-activity.tsx'

function entry(id: string, overrides: Partial<ActivityEntryJson> = {}): ActivityEntryJson {
  return {
    id,
    type: 'chat',
    outcome: 'completed',
    title: 'Plans',
    action: 'answered',
    detail: '',
    created_at: '2026-11-20T12:00:00.000Z',
    link: '/chat?session=1',
    ...overrides,
  }
}

test('groups repeated actions in the same conversation under their newest entry', () => {
  const entries = [entry('c', { detail: 'newer-model' }), entry('b'), entry('a')]
  expect(groupActivity(entries)).toEqual([{ newest: entries[0], count: 3 }])
})

test('starts a new group for another conversation, action or outcome, or after something in between', () => {
  const entries = [
    entry('f'),
    entry('e', { link: '/chat?session=2' }),
    entry('d'),
    entry('c', { action: 'stopped', outcome: 'interrupted' }),
    entry('b', { type: 'account', title: '', action: 'signed_in', link: null }),
    entry('a'),
  ]
  expect(groupActivity(entries).map(({ newest, count }) => [newest.id, count])).toEqual([
    ['f', 1],
    ['e', 1],
    ['d', 1],
    ['c', 1],
    ['b', 1],
    ['a', 1],
  ])
})

test('returns no groups for no entries', () => {
  expect(groupActivity([])).toEqual([])
})
