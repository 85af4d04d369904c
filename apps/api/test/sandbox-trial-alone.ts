// Checks a kind of sandbox in a separate process, which a test can run as another user, and prints the result.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandboxing } from '../src/platform/sandbox/sandboxing.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'mira-sandbox-user-'))
const kinds = [process.argv[2] as 'bubblewrap' | 'namespaces']
const sandboxing = createSandboxing({ dataDir, isOnlyProcess: true, kinds, warn: (fields) => console.error(fields) })
await sandboxing.choose()
process.stdout.write(JSON.stringify(sandboxing.check()))
rmSync(dataDir, { recursive: true, force: true })
