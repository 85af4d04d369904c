import { describe, expect, test } from 'vitest'
import { defaultFilters, nextOrder, readFilters, writeFilters } from './session-filters.ts'

describe('the filters in the address', () => {
  test('an address without filters lists everything, the newest first', () => {
    expect(readFilters(new URLSearchParams('tab=chat-logs'))).toEqual(defaultFilters)
  })

  test('what was written is read again, beside the tab', () => {
    const filters = { query: 'boiler & valves', status: 'active', sort: 'tokens', order: 'asc' } as const
    const parameters = writeFilters(new URLSearchParams('tab=chat-logs'), filters)
    expect(parameters.get('tab')).toBe('chat-logs')
    expect(readFilters(parameters)).toEqual(filters)
  })

  test('what is as usual does not make the address longer', () => {
    const filtered = new URLSearchParams('tab=chat-logs&query=x&status=active&sort=name&order=asc')
    expect(writeFilters(filtered, defaultFilters).toString()).toBe('tab=chat-logs')
  })

  test('nonsense in the address counts as not given', () => {
    expect(readFilters(new URLSearchParams('status=lost&sort=colour&order=up'))).toEqual(defaultFilters)
  })

  test('words beyond what the server takes are cut', () => {
    expect(readFilters(new URLSearchParams({ query: 'x'.repeat(300) })).query).toHaveLength(200)
  })
})

describe('pressing the heading of a column', () => {
  test('turns the order of the column that sorts', () => {
    expect(nextOrder({ ...defaultFilters, sort: 'tokens', order: 'desc' }, 'tokens')).toBe('asc')
    expect(nextOrder({ ...defaultFilters, sort: 'tokens', order: 'asc' }, 'tokens')).toBe('desc')
  })

  test('begins with A for names and with the most for figures', () => {
    expect(nextOrder(defaultFilters, 'name')).toBe('asc')
    expect(nextOrder({ ...defaultFilters, sort: 'name', order: 'asc' }, 'messages')).toBe('desc')
  })
})
