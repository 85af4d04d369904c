import { describe, expect, test } from 'vitest'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { allCompleted, createBlockingStep, setUpProcessing, succeed } from '../../../../test/processing-setup.ts'
import { createResultsStore } from './results.store.ts'
import type { Step } from './step.ts'
import { createProcessingStore } from './store.ts'

const processing = setUpProcessing()
const { startedSteps, jobs, serviceWith, newVideo, newItem, stateOf } = processing

const attemptsOf = async (id: string) => (await stateOf(id)).step('inspect')?.attempts

/** Runs two videos: one is inspected, and the other waits for a permit for so long that it no longer counts as an attempt. */
async function runTwoWithOnePermit() {
  const { state, step } = createBlockingStep()
  const [first, second] = [await newVideo(), await newVideo()]
  const service = serviceWith({ inspect: step }, { concurrency: 1 })
  const running = service.run(first)
  await state.started.promise
  const waiting = service.run(second)
  await expect.poll(() => attemptsOf(second)).toBe(1)
  await expect.poll(() => attemptsOf(second), { timeout: 5000 }).toBe(0)
  return { service, first, second, release: state.release, ended: Promise.all([running, waiting]) }
}

test('a server that dies while a step waits for a permit has used no attempt', async () => {
  const { first, second, release, ended } = await runTwoWithOnePermit()
  expect((await stateOf(second)).steps).toMatchObject({ inspect: 'processing' })
  expect(await attemptsOf(first)).toBe(1)
  release()
  await ended
  expect([await attemptsOf(first), await attemptsOf(second)]).toEqual([1, 1])
})

test('a step that waits for a permit when the server stops keeps its number of attempts', async () => {
  const { service, second, ended } = await runTwoWithOnePermit()
  // As if it had failed twice before.
  await processing.database.prisma.mediaStep.updateMany({
    where: { mediaItemId: second, name: 'inspect' },
    data: { attempts: 2 },
  })
  await service.close()
  await ended
  expect((await stateOf(second)).step('inspect')).toMatchObject({ status: 'pending', attempts: 2 })
})

test('runs no more steps at once than there are permits, but inspects all images', async () => {
  const [first, second] = [await newItem(), await newItem()]
  const { state, step } = createBlockingStep()
  const service = serviceWith(
    { read: (context) => (context.item.id === first ? step(context) : succeed(context)) },
    { concurrency: 1 },
  )
  const running = service.run(first)
  await state.started.promise
  const waiting = service.run(second)
  await expect
    .poll(async () => (await stateOf(second)).steps)
    .toMatchObject({ inspect: 'completed', read: 'processing' })
  expect(startedSteps.filter((name) => name === 'read')).toHaveLength(1)
  state.release()
  await Promise.all([running, waiting])
  for (const id of [first, second])
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
})

describe('a long step', () => {
  test('is left to a separate job, once the short steps of its item are done', async () => {
    const [long, short] = [await newVideo(3600), await newVideo(60)]
    const service = serviceWith()
    for (const id of [long, short]) await service.runShort(id)
    expect((await stateOf(long)).steps).toMatchObject({ inspect: 'completed', read: 'pending', playback: 'pending' })
    expect((await stateOf(short)).steps).toMatchObject({ read: 'completed', embed: 'completed', playback: 'pending' })
    expect(jobs.map(({ media_id }) => media_id)).toEqual([long, short])
    for (const id of [long, short]) await service.run(id)
    for (const id of [long, short]) expect(await stateOf(id)).toMatchObject({ status: 'completed' })
  })

  test('of one user delays no image of another, even when all permits are taken', async () => {
    const videoId = await newVideo(60)
    const other = await insertUser(processing.database)
    const picture = await insertMediaItem(processing.database, other.id, { processingStatus: 'pending' })
    const { state, step } = createBlockingStep()
    const service = serviceWith({ playback: step }, { concurrency: 1 })
    const running = service.run(videoId)
    await state.started.promise
    await service.run(picture.id)
    expect(await stateOf(picture.id)).toMatchObject({ status: 'completed' })
    state.release()
    await running
  })

  test('waits for the other steps of its user when there is one permit', async () => {
    const [first, videoId, picture] = [await newItem(), await newVideo(60), await newItem()]
    const { state, step } = createBlockingStep()
    const order: string[] = []
    const recordOrder: Step = async (context) => {
      order.push(context.item.mediaType)
      return succeed(context)
    }
    const service = serviceWith(
      { read: (context) => (context.item.id === first ? step(context) : recordOrder(context)), playback: recordOrder },
      { concurrency: 1 },
    )
    await service.runShort(videoId)
    order.length = 0
    const running = [service.run(first)]
    await state.started.promise
    running.push(service.run(videoId))
    await expect.poll(async () => (await stateOf(videoId)).steps).toMatchObject({ playback: 'processing' })
    running.push(service.run(picture))
    await expect.poll(async () => (await stateOf(picture)).steps).toMatchObject({ read: 'processing' })
    state.release()
    await Promise.all(running)
    expect(order).toEqual(['image', 'video'])
  })

  test('of many turns resumes after its last turn when the server dies, without a failed attempt', async () => {
    const id = await newVideo(60)
    const resultsStore = createResultsStore(processing.database)
    const turns: number[] = []
    const dies = Promise.withResolvers<never>()
    let midTurn = Promise.withResolvers<void>()
    /** Ten turns; the server dies partway through the first attempt of each. */
    const stepOfTurns: Step = async ({ item }) => {
      const before = (await resultsStore.checkpoint(item.id, item.run.step)) as { turns: number } | null
      const turn = (before?.turns ?? 0) + 1
      const entries = Array.from({ length: turn - 1 }, (_, n) => ({ in: n + 1 }))
      expect(await resultsStore.earlierFindings(item.id, item.run.step)).toEqual(entries)
      turns.push(turn)
      if (turns.filter((startedTurn) => startedTurn === turn).length === 1) {
        midTurn.resolve()
        return dies.promise
      }
      if (turn === 10) return { engine: 'built-in', model: 'test' }
      await resultsStore.withLockedItem(item, (sql) =>
        resultsStore.storeCheckpoint(sql, item, { turns: turn }, [{ in: turn }]),
      )
      return { engine: 'built-in', model: 'test', isUnfinished: true }
    }
    for (let turn = 1; turn <= 10; turn++) {
      midTurn = Promise.withResolvers()
      void serviceWith({ playback: stepOfTurns }).run(id)
      await midTurn.promise
      // Another server takes over, does one turn, and ends between two turns as well.
      await serviceWith({ playback: stepOfTurns }).run(id)
      const { step } = await stateOf(id)
      expect(step('playback')).toMatchObject({ status: turn < 10 ? 'pending' : 'completed' })
    }
    const workedSql = 'SELECT worked_ms > 0 AS yes FROM media_steps WHERE media_item_id = $1 AND name = $2'
    expect((await processing.database.pool.query(workedSql, [id, 'playback'])).rows).toEqual([{ yes: true }])
    expect(turns.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => Math.floor(n / 2) + 1))
    expect(await stateOf(id)).toMatchObject({ status: 'completed' })
    // The end of the step has removed the findings of its turns.
    expect(await resultsStore.earlierFindings(id, 'playback')).toEqual([])
  })

  test('of many turns keeps its progress when the next turn starts, also after a server died', async () => {
    const id = await newVideo(60)
    const resultsStore = createResultsStore(processing.database)
    const progressAtStart: number[] = []
    let turnEnd = Promise.withResolvers<void>()
    const service = serviceWith({
      playback: async ({ item, progress }) => {
        progressAtStart.push((await stateOf(id)).step('playback')?.progress ?? 0)
        progress(progressAtStart.length / 4)
        await resultsStore.withLockedItem(item, (sql) =>
          resultsStore.storeCheckpoint(sql, item, { turns: progressAtStart.length }),
        )
        // Progress is stored at intervals.
        await expect
          .poll(async () => (await stateOf(id)).step('playback')?.progress, { timeout: 5000 })
          .toBe(progressAtStart.length / 4)
        turnEnd.resolve()
        // The server dies in the second turn.
        if (progressAtStart.length === 2) await new Promise(() => {})
        return { engine: 'built-in', model: 'test', isUnfinished: true }
      },
    })
    await service.run(id)
    turnEnd = Promise.withResolvers()
    void service.run(id)
    await turnEnd.promise
    await serviceWith({
      playback: async () => {
        progressAtStart.push((await stateOf(id)).step('playback')?.progress ?? 0)
        return { engine: 'built-in', model: 'test' }
      },
    }).run(id)
    expect(progressAtStart).toEqual([0, 0.25, 0.5])
  })

  test('of many turns starts over when it’s requested again', async () => {
    const id = await newVideo(60)
    const resultsStore = createResultsStore(processing.database)
    const service = serviceWith({
      playback: async ({ item }) => {
        await resultsStore.withLockedItem(item, (sql) =>
          resultsStore.storeCheckpoint(sql, item, { turns: 1 }, [{ in: 1 }]),
        )
        return { engine: 'built-in', model: 'test', isUnfinished: true }
      },
    })
    await service.run(id)
    await service.reprocess(processing.userId, id, ['playback'])
    expect(await resultsStore.checkpoint(id, 'playback')).toBeNull()
    expect(await resultsStore.earlierFindings(id, 'playback')).toEqual([])
  })

  test('of many turns keeps its checkpoint when a turn fails temporarily, and nothing when it’s abandoned', async () => {
    const id = await newVideo(60)
    const resultsStore = createResultsStore(processing.database)
    const service = serviceWith({
      playback: async ({ item, progress }) => {
        if ((await resultsStore.checkpoint(item.id, item.run.step)) !== null)
          throw new Error('the engine is away for now')
        progress(0.5)
        await expect.poll(async () => (await stateOf(id)).step('playback')?.progress, { timeout: 5000 }).toBe(0.5)
        await resultsStore.withLockedItem(item, (sql) =>
          resultsStore.storeCheckpoint(sql, item, { turns: 1 }, [{ in: 1 }]),
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

    // As left by servers that died in it repeatedly.
    await processing.database.prisma.mediaStep.updateMany({
      where: { mediaItemId: id, name: 'playback' },
      data: { status: 'processing', attempts: 4 },
    })
    await createProcessingStore(processing.database).claim(id, 4)
    expect((await stateOf(id)).step('playback')).toMatchObject({ status: 'failed', progress: 0, checkpoint: null })
    expect(await processing.database.prisma.mediaTurn.count({ where: { mediaItemId: id } })).toBe(0)
  })
})
