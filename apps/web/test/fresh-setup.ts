import { afterAll, vi } from 'vitest'

// Resets only the app's modules; those of packages stay.
afterAll(() => {
  vi.resetModules()
})
