import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandboxing, type Sandboxing } from '../src/platform/sandbox/sandboxing.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'mira-tasks-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))

/** The strongest sandbox of this machine, so that tests run parsers as a server does; its processes serve all users. */
export const testSandboxing: Sandboxing = {
  ...createSandboxing({ dataDir, isOnlyProcess: true }),
  onlyUser: 'the test',
  // Test files that share a process share its sandbox.
  close: () => {},
}
