import type { Capability } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../test/factories.ts'
import { createProcessingStore } from './processing.store.ts'
import { createResumingService } from './resuming.service.ts'
import { stepsAgain } from './step-order.ts'

let database: TestDatabase
let userId: string

beforeAll(async () => {
  database = await openTestDatabase()
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

/** An item whose steps have ended, without a caption and vectors for want of engines. */
async function lackingItem(): Promise<string> {
  const store = createProcessingStore(database)
  const item = await insertMediaItem(database, userId, { processingStatus: 'completed' })
  const wanted = { id: item.id, mediaType: 'image' as const, wantsCaption: true, wantsText: true }
  await database.prisma.$transaction((tx) => store.addSteps(tx, wanted))
  const lacks: Partial<Record<string, Capability>> = { caption: 'caption', embed: 'embedding' }
  for (const name of ['inspect', 'read', 'caption', 'embed', 'look'] as const) {
    const run = await store.begin(item.id, name)
    if (run === null) throw new Error(`${name} could not be begun`)
    const status = lacks[name] ? 'skipped' : 'completed'
    await store.end(run, { status, engine: null, model: null, error: null, lacks: lacks[name] })
  }
  return item.id
}

test('what lacked an engine is done once there is one, with what depends on it, and the others are asked for', async () => {
  const store = createProcessingStore(database)
  const ids = [await lackingItem(), await lackingItem()]
  const there = new Set<Capability>()
  const wanted: Capability[] = []
  const again: string[] = []
  const resuming = createResumingService({
    ...{ prisma: database.prisma, store, log: silentLog },
    processing: {
      reprocessIn: async (tx, owner, id, steps) => {
        again.push(id)
        await store.reset(tx, owner, id, stepsAgain('image', steps))
      },
    },
    hasEngine: (capability) => there.has(capability),
    wantEngine: (capability) => wanted.push(capability),
  })
  const statesOf = async (id: string) =>
    Object.fromEntries((await store.steps(id)).map(({ name, status }) => [name, status]))

  resuming.resumeSoon()
  await vi.waitFor(() => expect(wanted.toSorted()).toEqual(['caption', 'embedding']), { timeout: 20_000 })
  expect(again).toEqual([])

  there.add('caption')
  resuming.resumeSoon()
  resuming.resumeSoon()
  await vi.waitFor(() => expect(again).toEqual(ids), { timeout: 20_000 })
  await resuming.close()
  for (const id of ids) {
    expect(await statesOf(id)).toMatchObject({ read: 'completed', caption: 'pending', embed: 'pending' })
  }
  expect(await store.lackedCapabilities()).toEqual([])

  // whoever had read the steps before does not begin one whose needs are open again
  const [first = ''] = ids
  expect(await store.begin(first, 'embed')).toBe(null)
  expect(await store.begin(first, 'caption')).not.toBe(null)
  expect(await store.begin(first, 'embed')).toBe(null)
})
