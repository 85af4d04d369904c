import { expect, test } from 'vitest'
import { createNumbering, type UnnumberedPassage } from './passages.ts'

const passage: UnnumberedPassage = {
  source: {
    media_id: 'x',
    media_type: 'document',
    title: 'lease.pdf',
    snippet: '',
    thumbnail: null,
    url: '/gallery/x',
  },
  text: 'The rent is 200.',
  itemDate: new Date('2026-05-31T20:00:00Z'),
  certainty: 'found',
}

test('an undated item’s day is the one in the user’s time zone on which it was added', () => {
  expect(createNumbering([], 'Pacific/Auckland')(passage).day).toBe('2026-06-01')
  expect(createNumbering([], 'America/Los_Angeles')(passage).day).toBe('2026-05-31')
})

test('a dated item’s day is the one at the place where it was taken', () => {
  const dated = { ...passage, takenLocal: '2026-05-31T23:00:00' }
  expect(createNumbering([], 'Pacific/Auckland')(dated).day).toBe('2026-05-31')
})
