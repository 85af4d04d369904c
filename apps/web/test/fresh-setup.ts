import { afterAll, vi } from 'vitest'

// Of the app alone: modules of packages stay.
afterAll(() => {
  vi.resetModules()
})
