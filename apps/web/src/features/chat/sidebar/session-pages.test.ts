import type { ChatSessionJson } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import { sessionsOf, splitPinned, withFreshFirstPage, withoutSession, withSession } from './use-session-list.ts'

function session(id: string, minute: number): ChatSessionJson {
  const time = new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString()
  return {
    id,
    session_name: `About ${id}`,
    created_at: time,
    updated_at: time,
    message_count: 2,
    agent_used: null,
    status: 'active',
    tokens_used: 0,
    avg_response_time: null,
    sentiment: 'neutral',
    pinned: false,
    archived: false,
    tags: [],
    project_id: null,
    persona_id: null,
    snippet: null,
  }
}

const [a, b, c, d] = [session('a', 4), session('b', 3), session('c', 2), session('d', 1)] as const
const pages = [
  { items: [a, b], nextCursor: 'after-b' },
  { items: [c, d], nextCursor: null },
]
const idsOf = (from: typeof pages) => sessionsOf(from).map(({ id }) => id)

describe('withFreshFirstPage', () => {
  it('puts a new conversation first and keeps the one it pushed off the page', () => {
    const fresh = { items: [session('e', 9), a], nextCursor: 'after-a' }
    expect(idsOf(withFreshFirstPage(pages, fresh) as typeof pages)).toEqual(['e', 'a', 'b', 'c', 'd'])
  })

  it('moves an answered conversation to the top, without a duplicate', () => {
    const fresh = { items: [session('d', 9), a], nextCursor: 'after-a' }
    expect(idsOf(withFreshFirstPage(pages, fresh) as typeof pages)).toEqual(['d', 'a', 'b', 'c'])
  })

  it('drops a conversation that is missing from the fresh page', () => {
    const fresh = { items: [b, c], nextCursor: 'after-c' }
    expect(idsOf(withFreshFirstPage(pages, fresh) as typeof pages)).toEqual(['b', 'c', 'd'])
  })

  it('replaces all pages when the fresh page is the last one', () => {
    const fresh = { items: [a], nextCursor: null }
    expect(withFreshFirstPage(pages, fresh)).toEqual([fresh])
  })

  it('returns only the fresh page when no other was loaded', () => {
    const fresh = { items: [session('e', 9), a], nextCursor: 'after-a' }
    expect(withFreshFirstPage(pages.slice(0, 1), fresh)).toEqual([fresh])
  })
})

describe('the pages', () => {
  it('show a conversation only once when it is on two of them', () => {
    expect(idsOf([pages[0]!, { items: [b, c], nextCursor: null }])).toEqual(['a', 'b', 'c'])
  })

  it('drop a deleted conversation', () => {
    expect(idsOf(withoutSession(pages, 'b') as typeof pages)).toEqual(['a', 'c', 'd'])
  })

  it('show a new name in the same place', () => {
    const renamed = { ...c, session_name: 'Lisbon' }
    expect(sessionsOf(withSession(pages, renamed)).map(({ session_name }) => session_name)).toEqual([
      'About a',
      'About b',
      'Lisbon',
      'About d',
    ])
  })
})

describe('splitPinned', () => {
  it('separates pinned conversations from the others, each newest first', () => {
    const { pinned, others } = splitPinned([d, { ...c, pinned: true }, a, { ...b, pinned: true }])
    expect([pinned, others].map((group) => group.map(({ id }) => id))).toEqual([
      ['b', 'c'],
      ['a', 'd'],
    ])
  })
})
