// Starts a process that never stops working and prints its id; the test kills this one.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withoutSandbox } from '../src/platform/sandbox/sandboxing.ts'
import { createTaskProcess } from '../src/platform/sandbox/task-process.ts'
import type { TestTasks } from './task-module.ts'

const child = createTaskProcess<TestTasks>({
  sandboxing: withoutSandbox(mkdtempSync(join(tmpdir(), 'mira-tasks-'))),
  module: new URL('./task-module.ts', import.meta.url),
  name: 'test',
  memoryLimitMb: 300,
})
await child.run('wait', { ms: 0 }, { timeoutMs: 20_000 })
process.stdout.write(String(child.pid()))
await child.run('spin', undefined as never, { timeoutMs: 60_000 })
