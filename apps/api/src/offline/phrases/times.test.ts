import { DateTime } from 'luxon'
import { expect, test, vi } from 'vitest'
import { readTimes } from './times.ts'

test.each(['a ', '1 ', 'boathouse ', 'seit '])(
  'asks few patterns at each of many words that are no times: %j',
  (word) => {
    const words = 1000
    const exec = vi.spyOn(RegExp.prototype, 'exec')
    try {
      expect(readTimes(word.repeat(words), DateTime.utc(2026, 5, 1), 'en')).toEqual([])
      expect(exec.mock.calls.length).toBeLessThan(words * 60)
    } finally {
      exec.mockRestore()
    }
  },
)
