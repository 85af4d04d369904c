import { expect, test } from 'vitest'
import { createEarlySync } from './early-sync.ts'

const MEGABYTE = 1024 * 1024

/** File whose syncs are completed by the test. */
function fileOfSlowDisk() {
  const syncs: PromiseWithResolvers<void>[] = []
  const datasync = () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  }
  return { syncs, file: { datasync } }
}

test('a large file is synced while it arrives, one sync at a time, and a small one is not', async () => {
  const { syncs, file } = fileOfSlowDisk()
  const early = createEarlySync(file)
  early.reportWritten(15 * MEGABYTE)
  expect(syncs.length).toBe(0)
  early.reportWritten(MEGABYTE)
  early.reportWritten(40 * MEGABYTE)
  expect(syncs.length).toBe(1)
  syncs[0]?.resolve()
  await early.settled()
  early.reportWritten(1)
  expect(syncs.length).toBe(2)
})

test('a failed sync is reported to every later caller, and no further one is started', async () => {
  const { syncs, file } = fileOfSlowDisk()
  const early = createEarlySync(file)
  early.reportWritten(16 * MEGABYTE)
  syncs[0]?.reject(new Error('the disk is broken'))
  await expect(early.settled()).rejects.toThrow('the disk is broken')
  early.reportWritten(50 * MEGABYTE)
  expect(syncs.length).toBe(1)
  await expect(early.settled()).rejects.toThrow('the disk is broken')
})
