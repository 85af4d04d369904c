import { expect, test } from 'vitest'
import { createAutomationService } from './automation.service.ts'

test('notifies open pages of a run that is cancelled before it starts', async () => {
  const run = { id: 'a run', taskType: 'memory_update', status: 'cancelled' }
  const notifiedRuns: object[] = []
  const automation = createAutomationService({
    runsStore: { cancel: async () => 'pending', find: async () => run },
    scheduler: { wake: () => {} },
    notices: { onChange: (changedRun: object) => void notifiedRuns.push(changedRun) },
  } as never)
  await automation.cancel('a run')
  expect(notifiedRuns).toEqual([run])
})
