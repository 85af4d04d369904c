import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { insertUser } from '../../../../test/factories.ts'
import { allCompleted, createBlockingStep, setUpProcessing, succeed } from '../../../../test/processing-setup.ts'
import { EngineError, NotFoundError, ValidationError } from '../../../errors.ts'
import type { Step } from './step.ts'

const processing = setUpProcessing()
const { startedSteps, events, notifications, jobs, serviceWith, newItem, stateOf, makeRetriesDue } = processing

describe('an item', () => {
  test('runs its steps in order, records the engine of each, and sends events', async () => {
    const id = await newItem()
    await serviceWith().run(id)
    expect(startedSteps).toEqual(['inspect', 'read', 'caption', 'embed', 'look'])
    const { status, steps, step } = await stateOf(id)
    expect({ status, steps }).toEqual({ status: 'completed', steps: allCompleted })
    expect(step('read')).toMatchObject({ engine: 'built-in', model: 'test', progress: 1, attempts: 1, error: null })
    const types = events.map(({ type }) => type)
    expect([types[0], types.indexOf('media.done')]).toEqual(['media.progress', types.length - 1])
    expect(jobs).toEqual([])
    expect(notifications).toEqual([])
  })

  test('that took long sends a notification', async () => {
    const id = await newItem()
    const slowSteps = {
      read: async (context: Parameters<Step>[0]) => {
        await processing.database.pool.query(
          `UPDATE media_steps SET started_at = now() - interval '2 minutes' WHERE name = 'inspect'`,
        )
        return succeed(context)
      },
    }
    await serviceWith(slowSteps).run(id)
    expect(notifications).toEqual([{ kind: 'media_done', title: 'a picture.png' }])
  })

  test('isn’t abandoned when database outages interrupt its steps repeatedly', async () => {
    const id = await newItem()
    let outages = 0
    const failWrites = async () => {
      outages++
      if (outages <= 6) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    }
    const service = serviceWith({ read: async (context) => ({ ...(await succeed(context)), findings: [failWrites] }) })
    for (let run = 0; run < 6; run++) await expect(service.run(id)).rejects.toThrow('ECONNREFUSED')
    expect((await stateOf(id)).step('read')).toMatchObject({ status: 'pending', attempts: 0 })
    await service.run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
  })

  test('that is corrected soon after it was ready sends no notification', async () => {
    const id = await newItem()
    await serviceWith().run(id)
    await processing.database.pool.query(
      `UPDATE media_steps SET started_at = now() - interval '2 minutes', finished_at = now() - interval '1 minute'`,
    )
    await serviceWith().reprocess(processing.userId, id, ['embed'])
    await serviceWith().run(id, undefined, jobs[0]?.since)
    expect(await stateOf(id)).toMatchObject({ status: 'completed' })
    expect(notifications).toEqual([])
  })

  test('with an unreadable file fails with the reason, and runs no other steps', async () => {
    const id = await newItem()
    const damaged = new ValidationError('This picture is damaged.')
    await serviceWith({ inspect: () => Promise.reject(damaged) }).run(id)
    expect(startedSteps).toEqual(['inspect'])
    const { status, error, steps } = await stateOf(id)
    expect({ status, error }).toEqual({ status: 'failed', error: 'This picture is damaged.' })
    expect(steps).toEqual({ inspect: 'failed', read: 'skipped', caption: 'skipped', embed: 'skipped', look: 'skipped' })
    expect(events.at(-1)).toEqual({ type: 'media.failed', id, error: 'This picture is damaged.' })
    expect(notifications).toEqual([
      { kind: 'media_failed', title: 'a picture.png', reason: 'This picture is damaged.' },
    ])
  })

  test('whose file is missing fails at once', async () => {
    const id = await newItem()
    await serviceWith({ inspect: () => Promise.reject(new NotFoundError('This file is not there.')) }).run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'failed', error: 'This file is not there.' })
  })

  test('that no longer exists runs no steps', async () => {
    await serviceWith().run('00000000-0000-4000-8000-000000000000')
    expect({ startedSteps, jobs, events }).toEqual({ startedSteps: [], jobs: [], events: [] })
  })
})

describe('a process that dies', () => {
  const leaveStarted = (id: string, attempts: number) =>
    processing.database.pool.query(
      `UPDATE media_steps SET status = 'processing', attempts = $2, started_at = now() WHERE media_item_id = $1 AND name = 'read'`,
      [id, attempts],
    )

  test('leaves a step that is started again', async () => {
    const id = await newItem()
    await serviceWith({ read: () => Promise.reject(new EngineError('down')) }).run(id)
    await leaveStarted(id, 1)
    await serviceWith().run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
  })

  test('in every attempt of a step makes the step fail, and the item completes without it', async () => {
    const id = await newItem()
    await serviceWith({ read: () => Promise.reject(new EngineError('down')) }).run(id)
    await leaveStarted(id, 4)
    await serviceWith().run(id)
    const { status, step } = await stateOf(id)
    expect(status).toBe('completed')
    expect(step('read')).toMatchObject({ status: 'failed', error: expect.stringContaining('stop several times') })
  })
})

describe('a running step', () => {
  test.each(['deleted', 'trashed'] as const)('is aborted soon after its item was %s by any server', async (action) => {
    const id = await newItem()
    const { prisma } = processing.database
    const { state, step } = createBlockingStep()
    const running = serviceWith({ read: step }).run(id)
    await state.started.promise
    if (action === 'deleted') await prisma.mediaItem.delete({ where: { id } })
    else {
      const { userId: trashedFrom } = await prisma.mediaItem.findUniqueOrThrow({ where: { id } })
      await prisma.mediaItem.update({ where: { id }, data: { userId: null, trashedFrom, trashedAt: new Date() } })
    }
    await running
    expect(state.aborted).toBe(true)
    expect(jobs).toEqual([])
    expect(events.some(({ type }) => type === 'media.done')).toBe(false)
  })

  test('is aborted at once when this server deletes the item', async () => {
    const id = await newItem()
    const { state, step } = createBlockingStep()
    const service = serviceWith({ read: step })
    const running = service.run(id)
    await state.started.promise
    service.cancel([id])
    await running
    expect(state.aborted).toBe(true)
  })

  test('is released without counting the attempt when the server stops, and another server runs it', async () => {
    const id = await newItem()
    const { state, step } = createBlockingStep()
    const service = serviceWith({ read: step })
    const running = service.run(id)
    await state.started.promise
    await service.close()
    await running
    const { steps, step: stepOf } = await stateOf(id)
    expect(steps).toMatchObject({ inspect: 'completed', read: 'pending', caption: 'pending' })
    expect(stepOf('read')).toMatchObject({ attempts: 0, error: null })
    expect(jobs).toMatchObject([{ media_id: id }])
    await serviceWith().run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
  })

  test('runs on another server when its process seems dead, and the stalled process then changes nothing', async () => {
    const id = await newItem()
    const { state, step } = createBlockingStep()
    const stalled = serviceWith({ read: step }).run(id)
    await state.started.promise
    await serviceWith().run(id)
    await makeRetriesDue()
    await serviceWith().run(id)
    const after = await stateOf(id)
    state.release()
    await stalled
    expect(after).toMatchObject({ status: 'completed', steps: allCompleted })
    expect((await stateOf(id)).step('read')).toEqual(after.step('read'))
  })

  test('reports its progress at most twice a second', async () => {
    const id = await newItem()
    await serviceWith({
      read: async (context) => {
        for (let n = 0; n < 150; n++) {
          context.progress(n / 150)
          await sleep(10)
        }
        return succeed(context)
      },
    }).run(id)
    const progressEvents = events.filter(({ type }) => type === 'media.progress')
    expect(progressEvents.length).toBeGreaterThanOrEqual(3)
    expect(progressEvents.length).toBeLessThanOrEqual(8)
  })
})

describe('reprocessing', () => {
  test('repeats the given steps and those that use their results, and no others', async () => {
    const id = await newItem()
    const service = serviceWith()
    await service.run(id)
    startedSteps.length = 0
    await service.reprocess(processing.userId, id, ['caption'])
    expect(await stateOf(id)).toMatchObject({
      status: 'pending',
      steps: { ...allCompleted, caption: 'pending', embed: 'pending' },
    })
    expect(jobs).toEqual([{ media_id: id, since: expect.any(String) }])
    await service.run(id)
    expect(startedSteps).toEqual(['caption', 'embed'])
  })

  test('adds no job when one is already waiting, however often it’s requested', async () => {
    const id = await newItem()
    const service = serviceWith()
    await service.run(id)
    const insertJob = (state: string, when: string) =>
      processing.database.pool.query(
        `INSERT INTO pgboss.job (name, data, group_id, state, start_after)
         SELECT 'process-media', '{}', $1, $2::pgboss.job_state, now() + $3::interval`,
        [id, state, when],
      )
    await insertJob('active', '0')
    await insertJob('created', '1 hour')
    await service.reprocess(processing.userId, id, ['caption'])
    expect(jobs).toEqual([{ media_id: id, since: expect.any(String) }])
    await insertJob('created', '0')
    await service.reprocess(processing.userId, id, ['read'])
    await service.reprocess(processing.userId, id, ['read'])
    expect(jobs).toHaveLength(1)
    expect((await stateOf(id)).steps).toMatchObject({ read: 'pending', caption: 'pending' })
  })

  test('leaves a retry to a job that is already waiting', async () => {
    const id = await newItem()
    const service = serviceWith({ caption: () => Promise.reject(new EngineError('Nobody answers.')) })
    await processing.database.pool.query(
      `INSERT INTO pgboss.job (name, data, group_id) SELECT 'process-media', '{}', $1`,
      [id],
    )
    await service.run(id)
    expect(jobs).toEqual([])
    expect((await stateOf(id)).steps).toMatchObject({ caption: 'pending' })
  })

  test('accepts only the user’s own items and steps that they have', async () => {
    const id = await newItem()
    const service = serviceWith()
    const { id: stranger } = await insertUser(processing.database)
    await expect(service.reprocess(stranger, id)).rejects.toBeInstanceOf(NotFoundError)
    await expect(service.reprocess(processing.userId, id, ['transcribe'])).rejects.toBeInstanceOf(ValidationError)
  })
})

test('waiting for an item ends when it’s done, when it no longer exists, and when the wait is aborted', async () => {
  const id = await newItem()
  const service = serviceWith()
  const waiting = service.whenDone(id, AbortSignal.timeout(10_000))
  await service.run(id)
  await waiting
  await service.whenDone('00000000-0000-4000-8000-000000000000', AbortSignal.timeout(10_000))
  await service.whenDone(await newItem(), AbortSignal.timeout(50))
})

test('the sweep finds items that no job will process', async () => {
  await processing.database.pool.query('DELETE FROM media_items')
  const [lost, waiting] = [await newItem(), await newItem()]
  await processing.database.pool.query(
    `INSERT INTO pgboss.job (name, data, group_id) SELECT 'process-media', '{}', $1`,
    [waiting],
  )
  await serviceWith().sweep()
  expect(jobs).toEqual([{ media_id: lost }])
})
