import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir, uptime } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { lockDataDir } from './lock.ts'

const system = vi.hoisted(() => ({ hasProc: true }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const read =
    <Read extends (path: string, options?: never) => unknown>(readWithProc: Read) =>
    (path: string, options?: never) => {
      if (!system.hasProc && path.startsWith('/proc/'))
        throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return readWithProc(path, options)
    }
  return { ...fs, readFileSync: read(fs.readFileSync), readlinkSync: read(fs.readlinkSync) }
})

let dataDir: string
let file: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mira-lock-'))
  file = join(dataDir, 'database.lock')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const otherMachineLock = JSON.stringify({ pid: 7, started: '1', host: 'another-container' })
const writeLock = (content: string, ageSeconds: number) => {
  writeFileSync(file, content)
  const time = new Date(Date.now() - ageSeconds * 1000)
  utimesSync(file, time, time)
}

test('only one of several simultaneous starts gets the folder', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('only one of several starts takes over a stale lock', { timeout: 30_000 }, async () => {
  writeLock(otherMachineLock, 60)
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})

test('unlocking removes the lock file', async () => {
  const unlock = await lockDataDir(dataDir)
  unlock()
  expect(existsSync(file)).toBe(false)
})

const sameNameLock = JSON.stringify({
  pid: 7,
  started: '1',
  host: hostname(),
  processSpace: 'another boot or container',
})

test.each([
  ['another machine', otherMachineLock, 0],
  ['another machine whose clock is behind', otherMachineLock, 60],
  ['a container of the same name', sameNameLock, 0],
])('a lock of %s is respected while it is touched', async (_title, lock, behindSeconds) => {
  writeLock(lock, behindSeconds)
  const touching = setInterval(() => {
    const time = new Date(Date.now() - behindSeconds * 1000)
    utimesSync(file, time, time)
  }, 200)
  try {
    await expect(lockDataDir(dataDir)).rejects.toThrow('is already used by process 7')
  } finally {
    clearInterval(touching)
  }
})

test('a lock of another machine is taken over when it is no longer touched', { timeout: 30_000 }, async () => {
  writeLock(otherMachineLock, 60)
  await lockDataDir(dataDir)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})

test.each([
  ['of a process that has ended', { pid: 2 ** 22 + 1, started: '1' }],
  ['of a process whose id was reused', { pid: process.pid, started: '1' }],
  ['of an earlier version’s process that has ended', { pid: 2 ** 22 + 1, started: '1', processSpace: undefined }],
])('a lock %s is taken over at once', async (_title, holder) => {
  const unlock = await lockDataDir(dataDir)
  const own = JSON.parse(readFileSync(file, 'utf8'))
  unlock()
  writeFileSync(file, JSON.stringify({ ...own, ...holder }))
  const startedAt = performance.now()
  await lockDataDir(dataDir)
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(own)
})

test('a half-written lock of a process that died is taken over', async () => {
  writeLock('{"pid":', 60)
  await lockDataDir(dataDir)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})

describe('where the start times of processes are unknown, as on macOS and Windows,', () => {
  let ownLock: string
  beforeEach(async () => {
    system.hasProc = false
    const unlock = await lockDataDir(dataDir)
    ownLock = readFileSync(file, 'utf8')
    unlock()
    expect(JSON.parse(ownLock)).toMatchObject({ pid: process.pid, started: '', processSpace: '' })
  })
  afterEach(() => {
    system.hasProc = true
  })

  test('a lock from before a restart is taken over though a process has its id', { timeout: 30_000 }, async () => {
    writeLock(ownLock, uptime() + 60)
    const unlock = await lockDataDir(dataDir)
    expect(readFileSync(file, 'utf8')).toBe(ownLock)
    unlock()
  })

  test('a lock that is touched is respected, even if its time is from before the restart', async () => {
    let ageSeconds = uptime() + 60
    writeLock(ownLock, ageSeconds)
    const touching = setInterval(() => writeLock(ownLock, ++ageSeconds), 200)
    try {
      await expect(lockDataDir(dataDir)).rejects.toThrow(`is already used by process ${process.pid}`)
    } finally {
      clearInterval(touching)
    }
  })

  test('a lock from after the restart is respected while a process has its id, even if it isn’t touched', async () => {
    writeLock(ownLock, Math.min(20, uptime() - 1))
    await expect(lockDataDir(dataDir)).rejects.toThrow(`is already used by process ${process.pid}`)
  })
})
