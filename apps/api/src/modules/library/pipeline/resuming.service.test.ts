import type { Capability } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import type { Ai } from '../../../engines/ai.ts'
import { BEFORE_ALL_IDS, stepsToRepeat } from './plan.ts'
import { createResumingService } from './resuming.service.ts'
import type { StepEnd } from './step.ts'
import { createProcessingStore } from './store.ts'

let database: TestDatabase
let userId: string

beforeAll(async () => {
  database = await openTestDatabase()
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

/** Adds an item whose steps have ended without a caption and embeddings for lack of engines. */
async function addItemWithoutEngines(): Promise<string> {
  const store = createProcessingStore(database)
  const item = await insertMediaItem(database, userId, { processingStatus: 'completed' })
  await database.prisma.mediaItem.update({ where: { id: item.id }, data: { processingStatus: 'pending' } })
  let state = await store.claim(item.id, 4)
  const missingCapabilities: Partial<Record<string, Capability>> = { caption: 'caption', embed: 'embedding' }
  const names = ['inspect', 'read', 'caption', 'embed', 'look'] as const
  for (const [index, name] of names.entries()) {
    if (state?.startedRun?.step !== name) throw new Error(`${name} could not be started`)
    const status = missingCapabilities[name] ? 'skipped' : 'completed'
    const end: StepEnd = { status, engine: null, model: null, error: null, errorSentences: [] }
    const ended = { run: state.startedRun, end: { ...end, missingCapability: missingCapabilities[name] } }
    state = await store.advance(item.id, {
      ended,
      next: names[index + 1],
      finish: { status: 'completed', error: null, errorSentences: [] },
    })
  }
  expect(state?.isFinished).toBe(true)
  return item.id
}

test('runs steps that lacked an engine once there is one, with those that depend on them, and requests missing engines', async () => {
  const store = createProcessingStore(database)
  const ids = [await addItemWithoutEngines(), await addItemWithoutEngines()]
  const available = new Set<Capability>()
  const capabilities: Capability[] = []
  const reprocessedIds: string[] = []
  const resuming = createResumingService({
    prisma: database.prisma,
    store,
    log: silentLog,
    processing: {
      reprocessIn: async (tx, owner, id, steps) => {
        reprocessedIds.push(id)
        await store.reset(tx, owner, id, stepsToRepeat('image', steps))
      },
    },
    ai: {
      checks: () =>
        new Proxy(
          {},
          { get: (_checks, name) => ({ state: available.has(name as Capability) ? 'ok' : 'off' }) },
        ) as ReturnType<Ai['checks']>,
      requestModel: (capability) => void capabilities.push(capability),
    },
  })
  const statesOf = async (id: string) =>
    Object.fromEntries((await store.advance(id, {}))?.steps.map(({ name, status }) => [name, status]) ?? [])

  resuming.resumeSoon()
  await vi.waitFor(() => expect(capabilities.toSorted()).toEqual(['caption', 'embedding']), { timeout: 20_000 })
  expect(reprocessedIds).toEqual([])

  available.add('caption')
  resuming.resumeSoon()
  resuming.resumeSoon()
  await vi.waitFor(() => expect(reprocessedIds).toEqual(ids), { timeout: 20_000 })
  await resuming.close()
  for (const id of ids) {
    expect(await statesOf(id)).toMatchObject({ read: 'completed', caption: 'pending', embed: 'pending' })
  }
  expect(await store.missingCapabilities()).toEqual([])

  // A server that read the steps before doesn't start one whose dependencies are pending again.
  const [first = ''] = ids
  const startStep = async (next: 'embed' | 'caption') => (await store.advance(first, { next }))?.startedRun
  expect(await startStep('embed')).toBe(null)
  expect(await startStep('caption')).not.toBe(null)
  expect(await startStep('embed')).toBe(null)
})

test('an item whose steps can’t be resumed doesn’t hold up the others, and is tried again by the next run', async () => {
  const store = createProcessingStore(database)
  const [stuck = '', ...others] = [await addItemWithoutEngines(), await addItemWithoutEngines()]
  const triedIds: string[] = []
  const warnings: object[] = []
  const resuming = createResumingService({
    prisma: database.prisma,
    store,
    log: { ...silentLog, warn: (fields: object) => void warnings.push(fields) },
    processing: {
      reprocessIn: async (tx, owner, id, steps) => {
        triedIds.push(id)
        if (id === stuck) throw new Error('refused')
        await store.reset(tx, owner, id, stepsToRepeat('image', steps))
      },
    },
    ai: {
      checks: () => new Proxy({}, { get: () => ({ state: 'ok' }) }) as ReturnType<Ai['checks']>,
      requestModel: () => {},
    },
  })
  resuming.resumeSoon()
  await vi.waitFor(() => expect(triedIds).toEqual(expect.arrayContaining(others)), { timeout: 20_000 })
  await resuming.close()
  expect(warnings).toMatchObject([{ err: new Error('refused'), media_id: stuck }])
  const capabilities: Capability[] = ['caption', 'embedding']
  expect(
    (await store.itemsSkippedFor(capabilities, { after: BEFORE_ALL_IDS, limit: 10 })).map(({ id }) => id),
  ).toContain(stuck)
})
