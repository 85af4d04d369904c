import { describe, expect, test } from 'vitest'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { allCompleted, done, holder, setUpProcessing } from '../../../../test/processing-setup.ts'
import { createResultsStore } from './results.store.ts'
import type { Step } from './step.ts'
import { createProcessingStore } from './store.ts'

const processing = setUpProcessing()
const { startedSteps, jobs, serviceWith, newFilm, newItem, stateOf } = processing

const attemptsOf = async (id: string) => (await stateOf(id)).step('inspect')?.attempts

/** Two films of which one is inspected, and the other waits so long for its place that this is no attempt any more. */
async function twoAtOnePlace() {
  const { state, step } = holder()
  const [first, second] = [await newFilm(), await newFilm()]
  const service = serviceWith({ inspect: step }, { concurrency: 1 })
  const running = service.run(first)
  await state.started.promise
  const waiting = service.run(second)
  await expect.poll(() => attemptsOf(second)).toBe(1)
  await expect.poll(() => attemptsOf(second), { timeout: 5000 }).toBe(0)
  return { service, first, second, letGo: state.letGo, ended: Promise.all([running, waiting]) }
}

test('a server that dies while a step waits for its place has not tried it', async () => {
  const { first, second, letGo, ended } = await twoAtOnePlace()
  expect((await stateOf(second)).steps).toMatchObject({ inspect: 'processing' })
  expect(await attemptsOf(first)).toBe(1)
  letGo()
  await ended
  expect([await attemptsOf(first), await attemptsOf(second)]).toEqual([1, 1])
})

test('a step that waits for its place when the server stops keeps the attempts that it had', async () => {
  const { service, second, ended } = await twoAtOnePlace()
  // as if it had failed twice before
  await processing.database.prisma.mediaStep.updateMany({
    where: { mediaItemId: second, name: 'inspect' },
    data: { attempts: 2 },
  })
  await service.close()
  await ended
  expect((await stateOf(second)).step('inspect')).toMatchObject({ status: 'pending', attempts: 2 })
})

test('of many items at once no more steps are done than there are places, but all pictures are looked at', async () => {
  const [first, second] = [await newItem(), await newItem()]
  const { state, step } = holder()
  const service = serviceWith(
    { read: (context) => (context.item.id === first ? step(context) : done(context)) },
    { concurrency: 1 },
  )
  const running = service.run(first)
  await state.started.promise
  const waiting = service.run(second)
  await expect
    .poll(async () => (await stateOf(second)).steps)
    .toMatchObject({ inspect: 'completed', read: 'processing' })
  expect(startedSteps.filter((name) => name === 'read')).toHaveLength(1)
  state.letGo()
  await Promise.all([running, waiting])
  for (const id of [first, second])
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
})

describe('a long step', () => {
  test('is left to a job of its own, once everything short of its item is done', async () => {
    const [long, short] = [await newFilm(3600), await newFilm(60)]
    const service = serviceWith()
    for (const id of [long, short]) await service.runShort(id)
    expect((await stateOf(long)).steps).toMatchObject({ inspect: 'completed', read: 'pending', playback: 'pending' })
    expect((await stateOf(short)).steps).toMatchObject({ read: 'completed', embed: 'completed', playback: 'pending' })
    expect(jobs.map(({ media_id }) => media_id)).toEqual([long, short])
    for (const id of [long, short]) await service.run(id)
    for (const id of [long, short]) expect(await stateOf(id)).toMatchObject({ status: 'completed' })
  })

  test('of one user holds up no picture of another, though all permits are taken', async () => {
    const film = await newFilm(60)
    const other = await insertUser(processing.database)
    const picture = await insertMediaItem(processing.database, other.id, { processingStatus: 'pending' })
    const { state, step } = holder()
    const service = serviceWith({ playback: step }, { concurrency: 1 })
    const running = service.run(film)
    await state.started.promise
    await service.run(picture.id)
    expect(await stateOf(picture.id)).toMatchObject({ status: 'completed' })
    state.letGo()
    await running
  })

  test('waits for the other steps of its user where there is one permit', async () => {
    const [first, film, picture] = [await newItem(), await newFilm(60), await newItem()]
    const { state, step } = holder()
    const order: string[] = []
    const noted: Step = async (context) => {
      order.push(context.item.mediaType)
      return done(context)
    }
    const service = serviceWith(
      { read: (context) => (context.item.id === first ? step(context) : noted(context)), playback: noted },
      { concurrency: 1 },
    )
    await service.runShort(film)
    order.length = 0
    const running = [service.run(first)]
    await state.started.promise
    running.push(service.run(film))
    await expect.poll(async () => (await stateOf(film)).steps).toMatchObject({ playback: 'processing' })
    running.push(service.run(picture))
    await expect.poll(async () => (await stateOf(picture)).steps).toMatchObject({ read: 'processing' })
    state.letGo()
    await Promise.all(running)
    expect(order).toEqual(['image', 'video'])
  })

  test('of many turns goes on after its last turn when the server dies, and that is no failed attempt', async () => {
    const id = await newFilm(60)
    const resultsStore = createResultsStore(processing.database)
    const turns: number[] = []
    const dies = Promise.withResolvers<never>()
    let midTurn = Promise.withResolvers<void>()
    /** Ten turns, of each of which a server dies in the middle, when the turn is begun first. */
    const ofTurns: Step = async ({ item }) => {
      const before = (await resultsStore.checkpoint(item.id, item.run.step)) as { turns: number } | null
      const turn = (before?.turns ?? 0) + 1
      const entries = Array.from({ length: turn - 1 }, (_, n) => ({ in: n + 1 }))
      expect(await resultsStore.earlierFindings(item.id, item.run.step)).toEqual(entries)
      turns.push(turn)
      if (turns.filter((one) => one === turn).length === 1) {
        midTurn.resolve()
        return dies.promise
      }
      if (turn === 10) return { engine: 'built-in', model: 'test' }
      await resultsStore.withLockedItem(item, (sql) =>
        resultsStore.keepCheckpoint(sql, item, { turns: turn }, [{ in: turn }]),
      )
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
    const worked = 'SELECT worked_ms > 0 AS yes FROM media_steps WHERE media_item_id = $1 AND name = $2'
    expect((await processing.database.pool.query(worked, [id, 'playback'])).rows).toEqual([{ yes: true }])
    expect(turns.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => Math.floor(n / 2) + 1))
    expect(await stateOf(id)).toMatchObject({ status: 'completed' })
    // its end has taken what the turns found
    expect(await resultsStore.earlierFindings(id, 'playback')).toEqual([])
  })

  test('of many turns is as far as it was when the next one begins, also after a server died', async () => {
    const id = await newFilm(60)
    const resultsStore = createResultsStore(processing.database)
    const progressAtStart: number[] = []
    let ends = Promise.withResolvers<void>()
    const service = serviceWith({
      playback: async ({ item, progress }) => {
        progressAtStart.push((await stateOf(id)).step('playback')?.progress ?? 0)
        progress(progressAtStart.length / 4)
        await resultsStore.withLockedItem(item, (sql) =>
          resultsStore.keepCheckpoint(sql, item, { turns: progressAtStart.length }),
        )
        // how far it is, is stored now and then
        await expect
          .poll(async () => (await stateOf(id)).step('playback')?.progress, { timeout: 5000 })
          .toBe(progressAtStart.length / 4)
        ends.resolve()
        // the second turn is one in which the server dies
        if (progressAtStart.length === 2) await new Promise(() => {})
        return { engine: 'built-in', model: 'test', isUnfinished: true }
      },
    })
    await service.run(id)
    ends = Promise.withResolvers()
    void service.run(id)
    await ends.promise
    await serviceWith({
      playback: async () => {
        progressAtStart.push((await stateOf(id)).step('playback')?.progress ?? 0)
        return { engine: 'built-in', model: 'test' }
      },
    }).run(id)
    expect(progressAtStart).toEqual([0, 0.25, 0.5])
  })

  test('of many turns begins anew when it is asked for again', async () => {
    const id = await newFilm(60)
    const resultsStore = createResultsStore(processing.database)
    const service = serviceWith({
      playback: async ({ item }) => {
        await resultsStore.withLockedItem(item, (sql) =>
          resultsStore.keepCheckpoint(sql, item, { turns: 1 }, [{ in: 1 }]),
        )
        return { engine: 'built-in', model: 'test', isUnfinished: true }
      },
    })
    await service.run(id)
    await service.reprocess(processing.userId, id, ['playback'])
    expect(await resultsStore.checkpoint(id, 'playback')).toBeNull()
    expect(await resultsStore.earlierFindings(id, 'playback')).toEqual([])
  })

  test('of many turns keeps its place when a turn fails for a while, and nothing when it is given up', async () => {
    const id = await newFilm(60)
    const resultsStore = createResultsStore(processing.database)
    const service = serviceWith({
      playback: async ({ item, progress }) => {
        if ((await resultsStore.checkpoint(item.id, item.run.step)) !== null)
          throw new Error('the engine is away for now')
        progress(0.5)
        await expect.poll(async () => (await stateOf(id)).step('playback')?.progress, { timeout: 5000 }).toBe(0.5)
        await resultsStore.withLockedItem(item, (sql) =>
          resultsStore.keepCheckpoint(sql, item, { turns: 1 }, [{ in: 1 }]),
        )
        return { engine: 'built-in', model: 'test', isUnfinished: true }
      },
    })
    await service.run(id)
    await service.run(id)
    expect((await stateOf(id)).step('playback')).toMatchObject({
      status: 'pending',
      progress: 0.5,
      error: 'Something unexpected went wrong.',
    })
    expect(await resultsStore.earlierFindings(id, 'playback')).toEqual([{ in: 1 }])

    // as servers leave it that died in it again and again
    await processing.database.prisma.mediaStep.updateMany({
      where: { mediaItemId: id, name: 'playback' },
      data: { status: 'processing', attempts: 4 },
    })
    await createProcessingStore(processing.database).claim(id, 4)
    expect((await stateOf(id)).step('playback')).toMatchObject({ status: 'failed', progress: 0, checkpoint: null })
    expect(await processing.database.prisma.mediaTurn.count({ where: { mediaItemId: id } })).toBe(0)
  })
})
