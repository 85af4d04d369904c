import { expect, test } from 'vitest'
import { countChosenOptions, noFilters, readLogFilters, writeLogFilters } from './log-filters.ts'

test('filters are read from the URL as they were written; the tab is kept, and a filter that is now off is removed', () => {
  const filters = { ...noFilters, query: 'dawn & sea', type: 'media', range: 'week' } as const
  const parameters = writeLogFilters(new URLSearchParams('tab=memory-logs&sentiment=positive'), filters)
  expect(parameters.toString()).toBe('tab=memory-logs&query=dawn+%26+sea&type=media&range=week')
  expect(readLogFilters(parameters)).toEqual(filters)
})

test('the query isn’t counted as a chosen option', () => {
  expect(countChosenOptions({ ...noFilters, query: 'dawn & sea', type: 'media', range: 'week' })).toBe(2)
})

test('invalid values in the URL are ignored', () => {
  expect(readLogFilters(new URLSearchParams('type=nonsense&range=year&content_type='))).toEqual(noFilters)
})
