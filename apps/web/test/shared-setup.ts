import { afterAll, vi } from 'vitest'

// Files of the shared project run in sequence in one process: each has to clean up.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
