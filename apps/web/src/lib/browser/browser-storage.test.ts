// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest'
import { readStored, watchStored, writeStored } from './browser-storage.ts'

it.each(['key', null])('a value from another tab replaces one that couldn’t be stored (event key %s)', (key) => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.stubGlobal('localStorage', {
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })
  writeStored('key', 'own')
  vi.unstubAllGlobals()
  expect(readStored('key')).toBe('own')
  const values: (string | null)[] = []
  const stop = watchStored('key', () => values.push(readStored('key')))
  localStorage.setItem('key', 'newer')
  window.dispatchEvent(new StorageEvent('storage', { key, storageArea: localStorage }))
  expect(values).toEqual(['newer'])
  stop()
})
