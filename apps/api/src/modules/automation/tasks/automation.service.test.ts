import { expect, test } from 'vitest'
import { createAutomationService } from './automation.service.ts'

test('open pages are told of a run that is cancelled before it begins', async () => {
  const run = { id: 'a run', taskType: 'memory_update', status: 'cancelled' }
  const told: object[] = []
  const automation = createAutomationService({
    runsStore: { cancel: async () => 'pending', find: async () => run },
    scheduler: { wake: () => {} },
    notices: { onChange: (changed: object) => void told.push(changed) },
  } as never)
  await automation.cancel('a run')
  expect(told).toEqual([run])
})
