import { afterAll, vi } from 'vitest'

const environment = { ...process.env }
const folder = process.cwd()

// Test files of the shared project run one after the other in one process: each must clean up for the next.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(folder)
})
