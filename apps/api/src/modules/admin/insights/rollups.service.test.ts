import { afterEach, expect, test, vi } from 'vitest'
import { resetClocks, setClockBack } from '../../../../test/clocks.ts'
import { silentLog } from '../../../../test/database-template.ts'
import { createRollupsService } from './rollups.service.ts'

afterEach(resetClocks)

test('enqueues incomplete sums again after two seconds, even when the clock is set back', async () => {
  const enqueue = vi.fn(async () => {})
  const store = { oldestMark: async () => new Date(0) }
  const rollups = createRollupsService({ store, queue: { enqueue }, log: silentLog } as never)
  await rollups.missingSince()
  await rollups.missingSince()
  expect(enqueue).toHaveBeenCalledTimes(1)
  setClockBack(3_000)
  await rollups.missingSince()
  expect(enqueue).toHaveBeenCalledTimes(2)
})
