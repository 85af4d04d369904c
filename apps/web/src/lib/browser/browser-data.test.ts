// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest'
import { claimBrowser } from './browser-data.ts'

const deleteDatabase = vi.fn(() => {
  const request = { onsuccess: () => {} }
  queueMicrotask(() => request.onsuccess())
  return request
})
vi.stubGlobal('indexedDB', { databases: async () => [{ name: 'drafts' }], deleteDatabase })

beforeEach(async () => {
  localStorage.clear()
  sessionStorage.clear()
  deleteDatabase.mockClear()
  await claimBrowser('ada')
  localStorage.setItem('draft', 'Dear diary')
  localStorage.setItem('theme', 'dark')
  sessionStorage.setItem('position', '12')
})

it('clears what another user left, except the preferences for the device', async () => {
  await claimBrowser('grace')
  expect({ ...localStorage }).toEqual({ theme: 'dark', user: 'grace' })
  expect({ ...sessionStorage }).toEqual({ user: 'grace' })
  expect(deleteDatabase.mock.calls).toEqual([['drafts']])
})

it('keeps everything for the same user', async () => {
  await claimBrowser('ada')
  expect(localStorage.getItem('draft')).toBe('Dear diary')
  expect(sessionStorage.getItem('position')).toBe('12')
  expect(deleteDatabase).not.toHaveBeenCalled()
})
