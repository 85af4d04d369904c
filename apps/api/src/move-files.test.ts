import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { silentLog } from '../test/database-template.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../test/s3-server.ts'
import { prepareInstance, startProcess, type TestInstance } from '../test/server-process.ts'
import { openDatabase } from './platform/database/client.ts'
import { createDiskFiles } from './platform/storage/disk.ts'
import type { Files } from './platform/storage/files.ts'

// Starts processes, one after the other.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const FILES = 40
const TARGET = 's3://files/home'
const contents = new Map<string, Buffer>()
let instance: TestInstance
let s3: S3Server
let disk: Files
let environment: Record<string, string>

beforeAll(async () => {
  ;[instance, s3] = await Promise.all([prepareInstance(), startS3Server('files')])
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = instance.environment
  if (databaseUrl !== undefined) await (await openDatabase({ dataDir, databaseUrl, log: silentLog })).close()
  disk = await createDiskFiles({ directory: join(dataDir, 'files') })
  const owner = randomUUID()
  for (let n = 0; n < FILES; n++) {
    const content = randomBytes(50_000 + n)
    contents.set((await disk.put(owner, content)).path, content)
  }
  environment = {
    ...instance.environment,
    AWS_ENDPOINT_URL: s3.endpoint,
    AWS_ACCESS_KEY_ID: S3_ACCESS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_ACCESS.secretAccessKey,
  }
})
afterAll(async () => {
  await s3.close()
  await instance.remove()
})

test.runIf(process.env.TEST_DATABASE_URL)('nothing is moved while a server uses the database', async () => {
  const server = new pg.Client({ connectionString: environment.DATABASE_URL, application_name: 'mira-listen' })
  await server.connect()
  const mover = startProcess('move-files.ts', environment, ['--to', TARGET, '--remove'])
  expect(await mover.exited).toBe(1)
  await server.end()
  expect(mover.output()).toBe('A Mira server is using the database of DATABASE_URL. Stop all servers first.\n')
  expect(await disk.usage()).toMatchObject({ fileCount: FILES })
  expect(s3.writes).toEqual([])
})

test('a move to S3 that is killed twice is completed by a third run, without uploading any file again', async () => {
  for (const writesBeforeKill of [8, 20]) {
    const mover = startProcess('move-files.ts', environment, ['--to', TARGET, '--remove'])
    s3.onRequest = ({ method }) => {
      if (method === 'PUT' && s3.writes.length >= writesBeforeKill) mover.kill('SIGKILL')
    }
    expect(await mover.exited).toBe('SIGKILL')
    expect(await disk.usage()).toMatchObject({ fileCount: FILES })
  }
  s3.onRequest = () => {}
  const mover = startProcess('move-files.ts', environment, ['--to', TARGET, '--remove'])
  expect(await mover.exited).toBe(0)
  expect(mover.output()).toContain(`${FILES} files (`)
  expect(mover.output()).toContain(`Set FILES_URL=${TARGET} in .env`)
  expect(await disk.usage()).toMatchObject({ fileCount: 0 })
  for (const [path, content] of contents) expect(s3.objects.get(`home/${path}`)?.equals(content)).toBe(true)
  expect(s3.writes).toHaveLength(FILES)
})

test('a check lists files without rows; a move back to the disk replaces a damaged copy before it removes the original', async () => {
  const check = startProcess('check-files.ts', { ...environment, FILES_URL: TARGET })
  expect(await check.exited).toBe(1)
  const [path = ''] = contents.keys()
  expect(check.output()).toContain(`Not in the database: ${path}`)
  expect(check.output()).toContain(`${FILES} problems`)
  const mover = startProcess('move-files.ts', { ...environment, FILES_URL: TARGET }, ['--to', 'disk'])
  expect(await mover.exited).toBe(0)
  expect(await disk.usage()).toMatchObject({ fileCount: FILES })
  // A verified copy may be damaged before its original is removed.
  const [first = ''] = contents.keys()
  const copy = join(environment.DATA_DIR ?? '', 'files', first)
  rmSync(copy)
  writeFileSync(copy, randomBytes(contents.get(first)?.length ?? 0))
  const remover = startProcess('move-files.ts', { ...environment, FILES_URL: TARGET }, ['--to', 'disk', '--remove'])
  expect(await remover.exited).toBe(0)
  expect(readFileSync(copy).equals(contents.get(first) ?? Buffer.alloc(0))).toBe(true)
  expect(s3.objects.size).toBe(0)
  expect(readdirSync(environment.DATA_DIR ?? '').filter((name) => name.startsWith('moved-files'))).toEqual([])

  const again = startProcess('move-files.ts', environment, ['--to', 'disk'])
  expect(await again.exited).toBe(1)
  expect(again.output()).toContain('already')
})
