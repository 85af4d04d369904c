import { setTimeout as sleep } from 'node:timers/promises'
import { type ProcessingStepName, say, type UserEventJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../test/factories.ts'
import { EngineError, NotFoundError, UnavailableError, ValidationError } from '../../errors.ts'
import { createProcessingService } from './processing.service.ts'
import { createProcessingStore } from './processing.store.ts'
import type { Step, Steps } from './processing.ts'
import { createResultsStore } from './results.store.ts'
import { heldBackMs } from './step-order.ts'

let database: TestDatabase
let userId: string
beforeAll(async () => {
  database = await openTestDatabase()
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

/** What happened, in order. */
let begun: string[]
let events: UserEventJson[]
/** What people are told behind the bell. */
let told: object[] = []
let jobs: { media_id: string; since?: string; startAfter?: Date }[]
let freeBytes: number
beforeEach(() => {
  freeBytes = 1e12
  begun = []
  events = []
  told = []
  jobs = []
})

const done: Step = async () => ({ engine: 'built-in', model: 'test' })

/** A service whose pictures have these steps; those that are not given succeed. */
function serviceWith(given: Partial<Record<ProcessingStepName, Step>> = {}, { concurrency = 2 } = {}) {
  const noting =
    (name: ProcessingStepName): Step =>
    async (context) => {
      begun.push(name)
      return (given[name] ?? done)(context)
    }
  const all = { inspect: noting('inspect'), read: noting('read'), caption: noting('caption'), embed: noting('embed') }
  const film = { ...all, playback: noting('playback') }
  const steps: Steps = { image: { ...all, look: noting('look') }, video: film, audio: film, document: all }
  const resultsStore = createResultsStore(database)
  const service = createProcessingService({
    prisma: database.prisma,
    store: createProcessingStore(database),
    results: {
      store: (item, findings, then) =>
        resultsStore.write(item, async (sql) => {
          for (const finding of findings) await finding(sql)
          return then?.(sql) as never
        }),
      replaceMoments: async () => async () => {},
      describe: (item, facts) => (sql) => resultsStore.describe(sql, item.id, facts),
      letGo: async () => {},
    },
    steps,
    files: { useLocal: (_path, use) => use('/dev/null'), freeBytes: async () => freeBytes },
    useScratch: (use) => use('/dev/null'),
    formatOf: async () => 'png',
    enqueue: async (_name, data, { startAfter } = {}) => {
      jobs.push({ ...(data as { media_id: string }), ...(startAfter ? { startAfter } : {}) })
    },
    concurrency,
    publish: (_userId, event) => events.push(event),
    notifyIn: async (_tx, _userId, { kind, params }) => {
      told.push({ kind, ...params })
      return () => {}
    },
    log: silentLog,
  })
  const run = (media_id: string, signal = new AbortController().signal, since?: string) =>
    service.handleJob({ media_id, since }, { id: 'job', attempt: 1, isLastAttempt: false, signal })
  return { ...service, run }
}

const newFilm = async (durationSeconds = 60) =>
  (await insertMediaItem(database, userId, { mediaType: 'video', processingStatus: 'pending', durationSeconds })).id
const newItem = async () => (await insertMediaItem(database, userId, { processingStatus: 'pending' })).id

async function stateOf(itemId: string) {
  const item = await database.prisma.mediaItem.findUniqueOrThrow({ where: { id: itemId } })
  const steps = await database.prisma.mediaStep.findMany({
    where: { mediaItemId: itemId },
    orderBy: { position: 'asc' },
  })
  return {
    status: item.processingStatus,
    error: item.error,
    steps: Object.fromEntries(steps.map(({ name, status }) => [name, status])),
    step: (wanted: ProcessingStepName) => steps.find(({ name }) => name === wanted),
  }
}

/** Lets the time pass until what failed is due again. */
const letTimePass = () => database.pool.query(`UPDATE media_steps SET finished_at = finished_at - interval '1 hour'`)

const allCompleted = {
  inspect: 'completed',
  read: 'completed',
  caption: 'completed',
  embed: 'completed',
  look: 'completed',
}

describe('an item', () => {
  test('has its steps done in order, each recorded with what made it, and is told of', async () => {
    const id = await newItem()
    await serviceWith().run(id)
    expect(begun).toEqual(['inspect', 'read', 'caption', 'embed', 'look'])
    const { status, steps, step } = await stateOf(id)
    expect({ status, steps }).toEqual({ status: 'completed', steps: allCompleted })
    expect(step('read')).toMatchObject({ engine: 'built-in', model: 'test', progress: 1, attempts: 1, error: null })
    const types = events.map(({ type }) => type)
    expect([types[0], types.indexOf('media.done')]).toEqual(['media.progress', types.length - 1])
    expect(jobs).toEqual([])
    expect(told).toEqual([])
  })

  test('that took longer than anybody watches is told of behind the bell', async () => {
    const id = await newItem()
    const slowly = {
      read: async (context: Parameters<Step>[0]) => {
        await database.pool.query(
          `UPDATE media_steps SET started_at = now() - interval '2 minutes' WHERE name = 'inspect'`,
        )
        return done(context)
      },
    }
    await serviceWith(slowly).run(id)
    expect(told).toEqual([{ kind: 'media_done', title: 'a picture.png' }])
  })

  test('that was corrected soon after it was ready is not told of again', async () => {
    const id = await newItem()
    await serviceWith().run(id)
    await database.pool.query(
      `UPDATE media_steps SET started_at = now() - interval '2 minutes', finished_at = now() - interval '1 minute'`,
    )
    await serviceWith().reprocess(userId, id, ['embed'])
    await serviceWith().run(id, undefined, jobs[0]?.since)
    expect(await stateOf(id)).toMatchObject({ status: 'completed' })
    expect(told).toEqual([])
  })

  test('whose file cannot be read fails with the reason, and nothing else is tried', async () => {
    const id = await newItem()
    const damaged = new ValidationError('This picture is damaged.')
    await serviceWith({ inspect: () => Promise.reject(damaged) }).run(id)
    expect(begun).toEqual(['inspect'])
    const { status, error, steps } = await stateOf(id)
    expect({ status, error }).toEqual({ status: 'failed', error: 'This picture is damaged.' })
    expect(steps).toEqual({ inspect: 'failed', read: 'skipped', caption: 'skipped', embed: 'skipped', look: 'skipped' })
    expect(events.at(-1)).toEqual({ type: 'media.failed', id, error: 'This picture is damaged.' })
    expect(told).toEqual([{ kind: 'media_failed', title: 'a picture.png', reason: 'This picture is damaged.' }])
  })

  test('whose file is gone fails at once', async () => {
    const id = await newItem()
    await serviceWith({ inspect: () => Promise.reject(new NotFoundError('This file is not there.')) }).run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'failed', error: 'This file is not there.' })
  })

  test('that is gone needs nothing', async () => {
    await serviceWith().run('00000000-0000-4000-8000-000000000000')
    expect({ begun, jobs, events }).toEqual({ begun: [], jobs: [], events: [] })
  })
})

describe('a step that fails', () => {
  test.each([
    ['a key that the engine refuses', new EngineError('The key is refused.', { isLasting: true })],
    ['a picture that is too large', new ValidationError('Too large.')],
  ])('for good, as for %s, says why, and the others are done', async (_what, error) => {
    const id = await newItem()
    await serviceWith({ caption: () => Promise.reject(error) }).run(id)
    const { status, steps, step } = await stateOf(id)
    expect({ status, steps }).toEqual({ status: 'completed', steps: { ...allCompleted, caption: 'failed' } })
    expect(step('caption')).toMatchObject({ error: error.message, attempts: 1 })
    expect(jobs).toEqual([])
  })

  test('for a reason that passes is done again later, and meanwhile what does not need it', async () => {
    const id = await newItem()
    let isDown = true
    const service = serviceWith({
      caption: async (context) => (isDown ? Promise.reject(new EngineError('Nobody answers.')) : done(context)),
    })
    await service.run(id)
    const waiting = await stateOf(id)
    expect(waiting).toMatchObject({
      status: 'processing',
      steps: { ...allCompleted, caption: 'pending', embed: 'pending' },
    })
    expect(waiting.step('caption')?.error).toBe('Nobody answers.')
    const [job] = jobs
    expect(job?.startAfter?.getTime()).toBeGreaterThan(Date.now() + 3000)
    expect(job?.startAfter?.getTime()).toBeLessThan(Date.now() + 6000)

    isDown = false
    await service.run(id)
    expect(begun.filter((name) => name === 'caption')).toHaveLength(1)
    await letTimePass()
    await service.run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
    expect((await stateOf(id)).step('caption')).toMatchObject({ attempts: 2, error: null })
  })

  test('again and again is given up after four times, with the reason', async () => {
    const id = await newItem()
    const service = serviceWith({ read: () => Promise.reject(new UnavailableError('The reader is away.')) })
    for (let runs = 0; runs < 5; runs++) {
      await service.run(id)
      await letTimePass()
    }
    expect(begun.filter((name) => name === 'read')).toHaveLength(4)
    const { status, step } = await stateOf(id)
    expect(status).toBe('completed')
    expect(step('read')).toMatchObject({ status: 'failed', error: 'The reader is away.', attempts: 4 })
  })

  test('unexpectedly is tried again, and tells people nothing of the inside', async () => {
    const id = await newItem()
    await serviceWith({ read: () => Promise.reject(new TypeError('x is not a function')) }).run(id)
    expect((await stateOf(id)).step('read')).toMatchObject({
      status: 'pending',
      error: 'Something unexpected went wrong.',
    })
  })

  test('for want of room on the disk does not begin, and is done when there is room', async () => {
    const traits = { mediaType: 'video', processingStatus: 'pending', durationSeconds: 60 } as const
    const { id } = await insertMediaItem(database, userId, traits)
    const service = serviceWith()
    freeBytes = 510_000_000
    await service.run(id)
    expect(begun).toEqual(['inspect', 'read', 'caption', 'embed'])
    const waiting = (await stateOf(id)).step('playback')
    expect(waiting).toMatchObject({ status: 'pending', error: expect.stringContaining('too full') })
    freeBytes = 1_000_000_000
    await letTimePass()
    await service.run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: { playback: 'completed' } })
  })

  test('while the disk fills up is ended, and tried again later', async () => {
    const { id } = await insertMediaItem(database, userId, { mediaType: 'video', processingStatus: 'pending' })
    const { state, step } = holder()
    const running = serviceWith({ playback: step }).run(id)
    await state.begun.promise
    freeBytes = 100_000_000
    await running
    expect(state.aborted).toBe(true)
    const ended = (await stateOf(id)).step('playback')
    expect(ended).toMatchObject({ status: 'pending', error: expect.stringContaining('too full') })
  })

  test('because there is no engine is skipped, with the reason', async () => {
    const id = await newItem()
    const skipped = say('no_engine', {}, 'No model is connected.')
    await serviceWith({ caption: async () => ({ engine: null, model: null, skipped }) }).run(id)
    expect((await stateOf(id)).step('caption')).toMatchObject({
      status: 'skipped',
      error: skipped.text,
      errorTold: skipped.told,
    })
  })
})

describe('a process that dies', () => {
  const leaveBegun = (id: string, attempts: number) =>
    database.pool.query(
      `UPDATE media_steps SET status = 'processing', attempts = $2, started_at = now() WHERE media_item_id = $1 AND name = 'read'`,
      [id, attempts],
    )

  test('leaves a step that is begun anew', async () => {
    const id = await newItem()
    await serviceWith({ read: () => Promise.reject(new EngineError('down')) }).run(id)
    await leaveBegun(id, 1)
    await serviceWith().run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
  })

  test('each time a step is begun makes the step fail, and the item is done without it', async () => {
    const id = await newItem()
    await serviceWith({ read: () => Promise.reject(new EngineError('down')) }).run(id)
    await leaveBegun(id, 4)
    await serviceWith().run(id)
    const { status, step } = await stateOf(id)
    expect(status).toBe('completed')
    expect(step('read')).toMatchObject({ status: 'failed', error: expect.stringContaining('stop several times') })
  })
})

/** A step that waits until it is told to go on, or is aborted. */
function holder() {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const state = { begun: Promise.withResolvers<void>(), aborted: false, letGo }
  const step: Step = async (context) => {
    context.signal.addEventListener('abort', () => {
      state.aborted = true
    })
    state.begun.resolve()
    await held
    return done(context)
  }
  return { state, step }
}

test('a server that dies while a step waits for its place has not tried it', async () => {
  const { state, step } = holder()
  const [first, second] = [await newFilm(), await newFilm()]
  const service = serviceWith({ inspect: step }, { concurrency: 1 })
  const running = service.run(first)
  await state.begun.promise
  const waiting = service.run(second)
  const attemptsOf = async (id: string) => (await stateOf(id)).step('inspect')?.attempts
  await expect.poll(() => attemptsOf(second)).toBe(1)
  await expect.poll(() => attemptsOf(second), { timeout: 5000 }).toBe(0)
  expect((await stateOf(second)).steps).toMatchObject({ inspect: 'processing' })
  expect(await attemptsOf(first)).toBe(1)
  state.letGo()
  await Promise.all([running, waiting])
  expect([await attemptsOf(first), await attemptsOf(second)]).toEqual([1, 1])
})

test('a step that waits for its place when the server stops keeps the attempts that it had', async () => {
  const { state, step } = holder()
  const [first, second] = [await newFilm(), await newFilm()]
  const service = serviceWith({ inspect: step }, { concurrency: 1 })
  const running = service.run(first)
  await state.begun.promise
  const waiting = service.run(second)
  const attempts = async () => (await stateOf(second)).step('inspect')?.attempts
  await expect.poll(attempts).toBe(1)
  await expect.poll(attempts, { timeout: 5000 }).toBe(0)
  // as if it had failed twice before
  await database.prisma.mediaStep.updateMany({ where: { mediaItemId: second, name: 'inspect' }, data: { attempts: 2 } })
  await service.close()
  await Promise.all([running, waiting])
  expect((await stateOf(second)).step('inspect')).toMatchObject({ status: 'pending', attempts: 2 })
})

describe('a step that is being done', () => {
  test('is aborted soon after its item was deleted, by whichever server', async () => {
    const id = await newItem()
    const { state, step } = holder()
    const running = serviceWith({ read: step }).run(id)
    await state.begun.promise
    await database.prisma.mediaItem.delete({ where: { id } })
    await running
    expect(state.aborted).toBe(true)
    expect(jobs).toEqual([])
    expect(events.some(({ type }) => type === 'media.done')).toBe(false)
  })

  test('is aborted at once when this server deletes the item', async () => {
    const id = await newItem()
    const { state, step } = holder()
    const service = serviceWith({ read: step })
    const running = service.run(id)
    await state.begun.promise
    service.cancel([id])
    await running
    expect(state.aborted).toBe(true)
  })

  test('is given back uncounted when the server stops, for whichever server is there next', async () => {
    const id = await newItem()
    const { state, step } = holder()
    const service = serviceWith({ read: step })
    const running = service.run(id)
    await state.begun.promise
    await service.close()
    await running
    const { steps, step: find } = await stateOf(id)
    expect(steps).toMatchObject({ inspect: 'completed', read: 'pending', caption: 'pending' })
    expect(find('read')).toMatchObject({ attempts: 0, error: null })
    expect(jobs).toMatchObject([{ media_id: id }])
    await serviceWith().run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
  })

  test('goes on elsewhere when its process was believed dead, and the one that comes back gives way', async () => {
    const id = await newItem()
    const { state, step } = holder()
    const stalled = serviceWith({ read: step }).run(id)
    await state.begun.promise
    await serviceWith().run(id)
    await letTimePass()
    await serviceWith().run(id)
    const after = await stateOf(id)
    state.letGo()
    await stalled
    expect(after).toMatchObject({ status: 'completed', steps: allCompleted })
    expect((await stateOf(id)).step('read')).toEqual(after.step('read'))
  })

  test('tells how far it is at most twice a second', async () => {
    const id = await newItem()
    await serviceWith({
      read: async (context) => {
        for (let n = 0; n < 150; n++) {
          context.progress(n / 150)
          await sleep(10)
        }
        return done(context)
      },
    }).run(id)
    const told = events.filter(({ type }) => type === 'media.progress')
    expect(told.length).toBeGreaterThanOrEqual(3)
    expect(told.length).toBeLessThanOrEqual(8)
  })
})

test('of many items at once no more steps are done than there are places, but all pictures are looked at', async () => {
  const [first, second] = [await newItem(), await newItem()]
  const { state, step } = holder()
  const service = serviceWith(
    { read: (context) => (context.item.id === first ? step(context) : done(context)) },
    { concurrency: 1 },
  )
  const running = service.run(first)
  await state.begun.promise
  const waiting = service.run(second)
  await expect
    .poll(async () => (await stateOf(second)).steps)
    .toMatchObject({ inspect: 'completed', read: 'processing' })
  expect(begun.filter((name) => name === 'read')).toHaveLength(1)
  state.letGo()
  await Promise.all([running, waiting])
  for (const id of [first, second])
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
})

describe('a long step', () => {
  const wait = (itemId: string) =>
    database.pool.query(`INSERT INTO pgboss.job (name, data, group_id) SELECT 'process-media', '{}', $1`, [itemId])
  beforeEach(() => database.pool.query('DELETE FROM pgboss.job'))

  test('does not take the last place: it is asked for again soon, and a picture goes first', async () => {
    const [first, second, picture] = [await newFilm(60), await newFilm(60), await newItem()]
    const { state, step } = holder()
    const service = serviceWith({ playback: step })
    const running = service.run(first)
    await state.begun.promise
    await service.run(second)
    expect(await stateOf(second)).toMatchObject({ steps: { embed: 'completed', playback: 'pending' } })
    const [job] = jobs
    expect(job?.media_id).toBe(second)
    expect(job?.startAfter?.getTime()).toBeGreaterThan(Date.now() + 3000)
    expect(job?.startAfter?.getTime()).toBeLessThan(Date.now() + 6000)
    await service.run(picture)
    expect(await stateOf(picture)).toMatchObject({ status: 'completed' })

    state.letGo()
    await running
    await service.run(second)
    expect(await stateOf(second)).toMatchObject({ status: 'completed' })
  })

  test('leaves to its item what is short, and is known by how long a film is', async () => {
    const [long, other, short] = [await newFilm(3600), await newFilm(3600), await newFilm(60)]
    const { state, step } = holder()
    const service = serviceWith({ read: async (context) => (context.item.id === long ? step(context) : done(context)) })
    const running = service.run(long)
    await state.begun.promise
    await service.run(other)
    await service.run(short)
    expect((await stateOf(other)).steps).toMatchObject({ inspect: 'completed', read: 'pending', playback: 'pending' })
    expect((await stateOf(short)).steps).toMatchObject({ read: 'completed', playback: 'pending' })
    state.letGo()
    await running
  })

  test('of many turns lets those go between two of them that were held back meanwhile', async () => {
    const [first, second] = [await newFilm(60), await newFilm(60)]
    const turns: string[] = []
    const service = serviceWith({
      playback: async ({ item }) => {
        turns.push(item.id === first ? 'first' : 'second')
        if (turns.length === 1) await service.run(second)
        const isUnfinished = turns.filter((one) => one === turns.at(-1)).length < 2
        return { engine: 'built-in', model: 'test', ...(isUnfinished && { isUnfinished }) }
      },
    })
    for (const id of [first, second, first, second]) await service.run(id)
    expect(turns).toEqual(['first', 'second', 'first', 'second'])
    for (const id of [first, second]) expect(await stateOf(id)).toMatchObject({ status: 'completed' })
  })

  test('of many turns goes on after its last turn when the server dies, and that is no failed attempt', async () => {
    const id = await newFilm(60)
    const resultsStore = createResultsStore(database)
    const turns: number[] = []
    const dies = Promise.withResolvers<never>()
    let midTurn = Promise.withResolvers<void>()
    /** Ten turns, of each of which a server dies in the middle, when the turn is begun first. */
    const ofTurns: Step = async ({ item }) => {
      const before = (await resultsStore.checkpoint(item.id, item.run.step)) as { turns: number } | null
      const turn = (before?.turns ?? 0) + 1
      turns.push(turn)
      if (turns.filter((one) => one === turn).length === 1) {
        midTurn.resolve()
        return dies.promise
      }
      if (turn === 10) return { engine: 'built-in', model: 'test' }
      await resultsStore.write(item, (sql) => resultsStore.keepCheckpoint(sql, item, { turns: turn }))
      return { engine: 'built-in', model: 'test', isUnfinished: true }
    }
    for (let turn = 1; turn <= 10; turn++) {
      midTurn = Promise.withResolvers()
      void serviceWith({ playback: ofTurns }).run(id)
      await midTurn.promise
      // what a server that died had begun is taken up by another one, which does one turn and is gone between two as well
      await serviceWith({ playback: ofTurns }).run(id)
      const { step } = await stateOf(id)
      expect(step('playback')).toMatchObject({ status: turn < 10 ? 'pending' : 'completed' })
    }
    expect(turns.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => Math.floor(n / 2) + 1))
    expect(await stateOf(id)).toMatchObject({ status: 'completed' })
  })

  test('waits for nobody who was deleted after having been held back', async () => {
    const [first, second, third] = [await newFilm(60), await newFilm(60), await newFilm(60)]
    const { state, step } = holder()
    const service = serviceWith({ playback: (context) => (context.item.id === first ? step(context) : done(context)) })
    const running = service.run(first)
    await state.begun.promise
    for (const id of [second, third]) await service.run(id)
    await database.prisma.mediaItem.delete({ where: { id: second } })
    state.letGo()
    await running
    await service.run(third)
    expect(await stateOf(third)).toMatchObject({ status: 'completed' })
  })

  test('takes the only place when no other item waits', async () => {
    const [film, picture] = [await newFilm(60), await newItem()]
    const service = serviceWith({}, { concurrency: 1 })
    await wait(picture)
    await service.run(film)
    expect((await stateOf(film)).steps).toMatchObject({ embed: 'completed', playback: 'pending' })
    await database.pool.query('DELETE FROM pgboss.job')
    await wait(film)
    await service.run(film)
    expect(await stateOf(film)).toMatchObject({ status: 'completed' })
  })

  test('is asked for less often where many ask', async () => {
    expect([0, 50, 1000, 100_000].map(heldBackMs)).toEqual([5_000, 5_000, 100_000, 300_000])
  })
})

describe('doing steps again', () => {
  test('does those that work with their results, too, and no others', async () => {
    const id = await newItem()
    const service = serviceWith()
    await service.run(id)
    begun = []
    await service.reprocess(userId, id, ['caption'])
    expect(await stateOf(id)).toMatchObject({
      status: 'pending',
      steps: { ...allCompleted, caption: 'pending', embed: 'pending' },
    })
    expect(jobs).toEqual([{ media_id: id, since: expect.any(String) }])
    await service.run(id)
    expect(begun).toEqual(['caption', 'embed'])
  })

  test('adds no job where one waits already, however often a person asks', async () => {
    const id = await newItem()
    const service = serviceWith()
    await service.run(id)
    const wait = (state: string, when: string) =>
      database.pool.query(
        `INSERT INTO pgboss.job (name, data, group_id, state, start_after)
         SELECT 'process-media', '{}', $1, $2::pgboss.job_state, now() + $3::interval`,
        [id, state, when],
      )
    await wait('active', '0')
    await wait('created', '1 hour')
    await service.reprocess(userId, id, ['caption'])
    expect(jobs).toEqual([{ media_id: id, since: expect.any(String) }])
    await wait('created', '0')
    await service.reprocess(userId, id, ['read'])
    await service.reprocess(userId, id, ['read'])
    expect(jobs).toHaveLength(1)
    expect((await stateOf(id)).steps).toMatchObject({ read: 'pending', caption: 'pending' })
  })

  test('leaves what is to be done later to a job that waits already', async () => {
    const id = await newItem()
    const service = serviceWith({ caption: () => Promise.reject(new EngineError('Nobody answers.')) })
    await database.pool.query(`INSERT INTO pgboss.job (name, data, group_id) SELECT 'process-media', '{}', $1`, [id])
    await service.run(id)
    expect(jobs).toEqual([])
    expect((await stateOf(id)).steps).toMatchObject({ caption: 'pending' })
  })

  test('is for the person’s own items and the steps that they have', async () => {
    const id = await newItem()
    const service = serviceWith()
    const { id: stranger } = await insertUser(database)
    await expect(service.reprocess(stranger, id)).rejects.toBeInstanceOf(NotFoundError)
    await expect(service.reprocess(userId, id, ['transcribe'])).rejects.toBeInstanceOf(ValidationError)
  })
})

test('waiting for an item ends when it is done, when it is gone, and when nobody waits any more', async () => {
  const id = await newItem()
  const service = serviceWith()
  const waiting = service.whenDone(id, AbortSignal.timeout(10_000))
  await service.run(id)
  await waiting
  await service.whenDone('00000000-0000-4000-8000-000000000000', AbortSignal.timeout(10_000))
  await service.whenDone(await newItem(), AbortSignal.timeout(50))
})

test('the sweep finds items that no job will process', async () => {
  await database.pool.query('DELETE FROM media_items')
  const [lost, waiting] = [await newItem(), await newItem()]
  await database.pool.query(`INSERT INTO pgboss.job (name, data, group_id) SELECT 'process-media', '{}', $1`, [waiting])
  await serviceWith().sweep()
  expect(jobs).toEqual([{ media_id: lost }])
})
