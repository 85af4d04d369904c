import { describe, expect, it } from 'vitest'
import { hasWrongDates, nextLimit, readSearch, type SearchState, timeRangeOf, writeSearch } from './search-params.ts'

const search: SearchState = {
  query: 'red car',
  types: ['image', 'video'],
  includesFrames: false,
  from: '2026-01-01',
  to: '2026-02-28',
  literal: ['last summer', 'in my videos'],
  isExact: false,
  limit: 50,
}

describe('a search in the URL', () => {
  it('is read as it was written', () => {
    expect(writeSearch(search).toString()).toBe(
      'q=red+car&types=image%2Cvideo&frames=no&from=2026-01-01&to=2026-02-28&literal=last+summer&literal=in+my+videos&limit=50',
    )
    expect(readSearch(writeSearch(search))).toEqual(search)
  })

  it('omits default values', () => {
    const plain: SearchState = {
      query: ' car ',
      types: [],
      includesFrames: true,
      from: '',
      to: '',
      literal: [],
      isExact: false,
      limit: 20,
    }
    expect(writeSearch(plain).toString()).toBe('q=car')
  })

  it('ignores invalid values', () => {
    const params = new URLSearchParams('q=car&types=image,film&from=yesterday&to=2026-02-30&limit=5000')
    expect(readSearch(params)).toEqual({
      query: 'car',
      types: ['image'],
      includesFrames: true,
      from: '',
      to: '',
      literal: [],
      isExact: false,
      limit: 20,
    })
  })
})

it('raises the limit up to one hundred results', () => {
  expect([nextLimit(20), nextLimit(50), nextLimit(100)]).toEqual([50, 100, null])
})

it('detects dates in the wrong order', () => {
  expect(hasWrongDates({ from: '2026-02-01', to: '2026-01-01' })).toBe(true)
  expect(hasWrongDates({ from: '2026-02-01', to: '2026-02-01' })).toBe(false)
  expect(hasWrongDates({ from: '2026-02-01', to: '' })).toBe(false)
})

it.each(['9999-12-31', '0999-12-31'])('ignores %s, which is out of range', (day) => {
  expect(readSearch(new URLSearchParams({ q: 'car', from: day, to: day }))).toMatchObject({ from: '', to: '' })
})

describe('days', () => {
  it('begin and end in the user’s time zone', () => {
    expect(timeRangeOf({ from: '2026-01-01', to: '2026-01-31' }, 'America/New_York')).toEqual({
      from: '2026-01-01T05:00:00.000Z',
      to: '2026-02-01T04:59:59.999Z',
    })
    expect(timeRangeOf({ from: '', to: '' }, 'UTC')).toEqual({ from: undefined, to: undefined })
  })

  it('have the right length when daylight saving time changes', () => {
    expect(timeRangeOf({ from: '2026-03-08', to: '2026-03-08' }, 'America/New_York')).toEqual({
      from: '2026-03-08T05:00:00.000Z',
      to: '2026-03-09T03:59:59.999Z',
    })
  })
})
