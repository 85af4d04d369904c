import { describe, expect, test } from 'vitest'
import { defaultFilters, nextOrder, readFilters, writeFilters } from './session-filters.ts'

describe('the filters in the URL', () => {
  test('default to everything, newest first', () => {
    expect(readFilters(new URLSearchParams('tab=chat-logs'))).toEqual(defaultFilters)
  })

  test('are read as they were written, beside the tab', () => {
    const filters = { query: 'boiler & valves', status: 'active', sort: 'tokens', order: 'asc' } as const
    const parameters = writeFilters(new URLSearchParams('tab=chat-logs'), filters)
    expect(parameters.get('tab')).toBe('chat-logs')
    expect(readFilters(parameters)).toEqual(filters)
  })

  test('are left out when they have default values', () => {
    const filtered = new URLSearchParams('tab=chat-logs&query=x&status=active&sort=name&order=asc')
    expect(writeFilters(filtered, defaultFilters).toString()).toBe('tab=chat-logs')
  })

  test('are ignored when they are invalid', () => {
    expect(readFilters(new URLSearchParams('status=lost&sort=colour&order=up'))).toEqual(defaultFilters)
  })

  test('truncate the query to the server’s limit', () => {
    expect(readFilters(new URLSearchParams({ query: 'x'.repeat(300) })).query).toHaveLength(200)
  })
})

describe('clicking a column heading', () => {
  test('reverses the order of the sorted column', () => {
    expect(nextOrder({ ...defaultFilters, sort: 'tokens', order: 'desc' }, 'tokens')).toBe('asc')
    expect(nextOrder({ ...defaultFilters, sort: 'tokens', order: 'asc' }, 'tokens')).toBe('desc')
  })

  test('starts ascending for names and descending for numbers', () => {
    expect(nextOrder(defaultFilters, 'name')).toBe('asc')
    expect(nextOrder({ ...defaultFilters, sort: 'name', order: 'asc' }, 'messages')).toBe('desc')
  })
})
