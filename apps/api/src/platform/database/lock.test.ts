import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDir } from './lock.ts'

let dataDir: string
let file: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mira-lock-'))
  file = join(dataDir, 'database.lock')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const elsewhere = JSON.stringify({ pid: 7, started: '1', host: 'another-container' })
const writtenSecondsAgo = (content: string, seconds: number) => {
  writeFileSync(file, content)
  const then = new Date(Date.now() - seconds * 1000)
  utimesSync(file, then, then)
}

test('of several that start at once, one gets the folder', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('of several that find a lock left behind, one gets the folder', { timeout: 30_000 }, async () => {
  writtenSecondsAgo(elsewhere, 60)
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})

test('giving it back removes the lock', async () => {
  const unlock = await lockDataDir(dataDir)
  unlock()
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['', 0],
  [' whose clock is behind', 60],
])('a lock of another machine%s that is touched is respected', async (_title, behindSeconds) => {
  writtenSecondsAgo(elsewhere, behindSeconds)
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

test('a lock of another machine that nobody touches any more is taken over', { timeout: 30_000 }, async () => {
  writtenSecondsAgo(elsewhere, 60)
  await lockDataDir(dataDir)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})

test.each([
  ['of a process that is gone', { pid: 2 ** 22 + 1, started: '1' }],
  ['of a process whose number another one has now', { pid: process.pid, started: '1' }],
])('a lock %s is taken over', async (_title, holder) => {
  const unlock = await lockDataDir(dataDir)
  const { host } = JSON.parse(readFileSync(file, 'utf8'))
  unlock()
  writeFileSync(file, JSON.stringify({ ...holder, host }))
  await lockDataDir(dataDir)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid, host })
})

test('a lock that was half written by a process that died is taken over', async () => {
  writtenSecondsAgo('{"pid":', 60)
  await lockDataDir(dataDir)
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid)
})
