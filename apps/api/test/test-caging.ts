import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Caging, createCaging } from '../src/platform/sandbox/caging.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'mira-desks-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))

/** The best cage of this machine, so that what is tested runs as it does in a server; its processes serve all users. */
export const testCaging: Caging = {
  ...createCaging({ dataDir, isOnlyProcess: true }),
  onlyUser: 'the test',
  // files that share a process share its cage
  close: () => {},
}
