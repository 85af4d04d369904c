// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { type AutomationError, fetchAutomationStatus, triggerTask } from './automation-queries.ts'

const respondWith = (body: object, status = 200) =>
  vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => Response.json(body, { status, headers: { 'content-type': 'application/json' } }))

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

it.each([{ error: 'x'.repeat(5000) }, { detail: 'x'.repeat(5000) }])(
  'quotes only the beginning of a long error',
  async (body) => {
    respondWith(body, 502)
    const error = await triggerTask('nightly_digest').catch((reason: unknown) => reason)
    expect((error as AutomationError).values.detail?.length).toBeLessThan(300)
  },
)

it('quotes the detail of a short error', async () => {
  respondWith({ detail: 'No such task' }, 404)
  await expect(triggerTask('nightly_digest')).rejects.toMatchObject({ values: { detail: 'No such task' } })
})
