// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { fetchAutomationStatus } from './automation-queries.ts'

const respondWith = (body: object) =>
  vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => Response.json(body, { headers: { 'content-type': 'application/json' } }))

afterEach(() => vi.restoreAllMocks())

it('accepts an empty status and unknown task names', async () => {
  respondWith({ success: true, automation_status: {} })
  expect(await fetchAutomationStatus()).toMatchObject({ scheduler_running: false, current_runs: 0, tasks: {} })
  const tasks = { nightly_digest: { is_enabled: true, schedule: null, last_run: null } }
  respondWith({ success: true, automation_status: { scheduler_running: true, tasks } })
  expect(await fetchAutomationStatus()).toMatchObject({ scheduler_running: true, tasks })
})

it('rejects a response without a status', async () => {
  respondWith({ success: false })
  await expect(fetchAutomationStatus()).rejects.toMatchObject({ kind: 'shape' })
})
