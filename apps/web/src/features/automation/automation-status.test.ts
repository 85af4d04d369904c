// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { fetchAutomationStatus } from './automation-queries.ts'

const answer = (body: object) =>
  vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => Response.json(body, { headers: { 'content-type': 'application/json' } }))

afterEach(() => vi.restoreAllMocks())

it('takes an empty status and tasks of other names as they are', async () => {
  answer({ success: true, automation_status: {} })
  expect(await fetchAutomationStatus()).toMatchObject({ scheduler_running: false, current_runs: 0, tasks: {} })
  const tasks = { nightly_digest: { is_enabled: true, schedule: null, last_run: null } }
  answer({ success: true, automation_status: { scheduler_running: true, tasks } })
  expect(await fetchAutomationStatus()).toMatchObject({ scheduler_running: true, tasks })
})

it('refuses an answer that is no status', async () => {
  answer({ success: false })
  await expect(fetchAutomationStatus()).rejects.toMatchObject({ kind: 'shape' })
})
