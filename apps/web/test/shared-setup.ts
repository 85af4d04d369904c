import { afterAll, vi } from 'vitest'

// Files of the shared project run one after the other in one process: none may leave anything to the next.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
