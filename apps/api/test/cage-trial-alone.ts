// Tries the sandboxes of this machine in a process of its own, so that a test can run it as another user, and prints the result.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCaging } from '../src/platform/sandbox/caging.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'mira-cage-user-'))
const kinds = [process.argv[2] as 'bubblewrap' | 'namespaces']
const caging = createCaging({ dataDir, isOnlyProcess: true, kinds, warn: (fields) => console.error(fields) })
await caging.decided()
process.stdout.write(JSON.stringify(caging.check()))
rmSync(dataDir, { recursive: true, force: true })
