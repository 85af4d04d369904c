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

test('what was done again in the same conversation is one group with its newest entry', () => {
  const entries = [entry('c', { detail: 'newer-model' }), entry('b'), entry('a')]
  expect(groupActivity(entries)).toEqual([{ newest: entries[0], count: 3 }])
})

test('another conversation, action or outcome, or something in between, begins a group of its own', () => {
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

test('nothing gives no group', () => {
  expect(groupActivity([])).toEqual([])
})
