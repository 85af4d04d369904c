import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StartupError } from '../../errors.ts'
import { fingerprintOf, loadJwtSecret } from './secrets.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mira-secrets-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const load = (configured?: string) => loadJwtSecret({ configured, dataDir })
const modeOf = (file: string) => statSync(file).mode & 0o777

test('a configured secret is used, and nothing is written', () => {
  expect(load('a secret of at least 32 characters.')).toBe('a secret of at least 32 characters.')
  expect(readdirSync(dataDir)).toEqual([])
})

test('without one, a random secret is created once, private to its owner, and read again later', () => {
  const secret = load()
  expect(secret).toMatch(/^[\w-]{64}$/)
  expect(readdirSync(dataDir)).toEqual(['jwt-secret'])
  expect(modeOf(join(dataDir, 'jwt-secret'))).toBe(0o600)
  expect(load()).toBe(secret)
})

test('servers that start at once on one folder agree on the secret, and leave no temporary file behind', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.module).then(({ loadJwtSecret }) => {
      parentPort.once('message', () => {
        parentPort.postMessage(loadJwtSecret({ configured: undefined, dataDir: workerData.dataDir }))
      })
      parentPort.postMessage('ready')
    })`
  const module = new URL('./secrets.ts', import.meta.url).href
  const workers = Array.from({ length: 6 }, () => new Worker(source, { eval: true, workerData: { module, dataDir } }))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  const secrets = workers.map((worker) => once(worker, 'message'))
  for (const worker of workers) worker.postMessage('go')
  expect(new Set((await Promise.all(secrets)).flat())).toEqual(new Set([load()]))
  expect(readdirSync(dataDir)).toEqual(['jwt-secret'])
})

test('a file that others may read is made private', () => {
  load()
  chmodSync(join(dataDir, 'jwt-secret'), 0o644)
  load()
  expect(modeOf(join(dataDir, 'jwt-secret'))).toBe(0o600)
})

test('a file without a secret fails the start and says what to do', () => {
  writeFileSync(join(dataDir, 'jwt-secret'), 'short\n')
  expect(load).toThrow(StartupError)
  expect(load).toThrow(/jwt-secret contains no secret\. Delete it so that a new one is created, or set JWT_SECRET\.$/)
})

test('a folder that is not writable fails the start', () => {
  writeFileSync(join(dataDir, 'file'), '')
  expect(() => loadJwtSecret({ configured: undefined, dataDir: join(dataDir, 'file/data') })).toThrow(
    /^DATA_DIR .* isn.t writable: /,
  )
})

test('a fingerprint identifies a secret without containing it', () => {
  const secret = load()
  expect(fingerprintOf(secret)).toMatch(/^[\da-f]{16}$/)
  expect(fingerprintOf(secret)).toBe(fingerprintOf(readFileSync(join(dataDir, 'jwt-secret'), 'utf8')))
  expect(fingerprintOf(secret)).not.toBe(fingerprintOf(`${secret}.`))
})
