import { describe, expect, test } from 'vitest'
import { insertHook, insertMediaItem } from '../../../../test/factories.ts'
import { allCompleted, createBlockingStep, setUpProcessing, succeed } from '../../../../test/processing-setup.ts'
import { EngineError, UnavailableError, ValidationError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'
import type { Step } from './step.ts'

const processing = setUpProcessing()
const { startedSteps, events, notifications, jobs, serviceWith, newItem, stateOf, makeRetriesDue } = processing

describe('a step that fails', () => {
  test.each([
    ['a rejected key', new EngineError('The key is refused.', { isPermanent: true })],
    ['an image that is too large', new ValidationError('Too large.')],
  ])('permanently, as for %s, has the reason, and the other steps run', async (_name, error) => {
    const id = await newItem()
    await serviceWith({ caption: () => Promise.reject(error) }).run(id)
    const { status, steps, step } = await stateOf(id)
    expect({ status, steps }).toEqual({ status: 'completed', steps: { ...allCompleted, caption: 'failed' } })
    expect(step('caption')).toMatchObject({ error: error.message, attempts: 1 })
    expect(jobs).toEqual([])
  })

  test('temporarily is retried later, and steps that don’t need it run meanwhile', async () => {
    const id = await newItem()
    let isDown = true
    const service = serviceWith({
      caption: async (context) => (isDown ? Promise.reject(new EngineError('Nobody answers.')) : succeed(context)),
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
    expect(startedSteps.filter((name) => name === 'caption')).toHaveLength(1)
    await makeRetriesDue()
    await service.run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
    expect((await stateOf(id)).step('caption')).toMatchObject({ attempts: 2, error: null })
  })

  test('repeatedly is abandoned after four attempts, with the reason', async () => {
    const id = await newItem()
    const service = serviceWith({ read: () => Promise.reject(new UnavailableError('The reader is away.')) })
    for (let runs = 0; runs < 5; runs++) {
      await service.run(id)
      await makeRetriesDue()
    }
    expect(startedSteps.filter((name) => name === 'read')).toHaveLength(4)
    const { status, step } = await stateOf(id)
    expect(status).toBe('completed')
    expect(step('read')).toMatchObject({ status: 'failed', error: 'The reader is away.', attempts: 4 })
  })

  test.each([
    ['inspect', 'media_failed'],
    ['read', 'media_done'],
  ] as const)('in %s is retried each night without another notification of the same failure', async (name, kind) => {
    const id = await newItem()
    const { prisma } = processing.database
    const hook = await insertHook(processing.database, processing.userId)
    await prisma.hook.update({ where: { id: hook.id }, data: { events: ['media.done', 'media.failed'] } })
    const hookEvents = async () => (await prisma.webhookOutboxEvent.findMany()).map(({ event }) => event)
    let isDown = true
    const slowStep: Step = async (context) => {
      await processing.database.pool.query(
        `UPDATE media_steps SET started_at = started_at - interval '2 minutes' WHERE status <> 'processing'`,
      )
      return succeed(context)
    }
    const service = serviceWith({
      look: slowStep,
      [name]: (context: Parameters<Step>[0]) =>
        isDown ? Promise.reject(new UnavailableError('The reader is away.')) : succeed(context),
    })
    for (let runs = 0; runs < 4; runs++) {
      await service.run(id)
      await makeRetriesDue()
    }
    expect((await stateOf(id)).step(name)).toMatchObject({ status: 'failed', attempts: 4 })
    expect(notifications).toMatchObject([{ kind }])
    const runAtNight = async () => {
      for (const list of [jobs, notifications, events]) list.length = 0
      await prisma.webhookOutboxEvent.deleteMany()
      await service.reprocess(processing.userId, id, [name], { retriesOnce: true })
      await service.run(id)
    }
    await runAtNight()
    expect((await stateOf(id)).step(name)).toMatchObject({ status: 'failed', attempts: 5 })
    expect(notifications).toEqual([])
    expect(await hookEvents()).toEqual([])
    expect(events.at(-1)).toEqual({ type: 'media.updated', ids: [id] })
    isDown = false
    await runAtNight()
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
    expect(events.at(-1)).toEqual({ type: 'media.done', id })
    expect(await hookEvents()).toEqual(['media.done'])
  })

  test('permanently is announced once, and retried each night for as long as its engine is unavailable', async () => {
    const id = await newItem()
    const { pool } = processing.database
    let error: Error = new ValidationError('Too large.')
    let canRead = false
    const failing = (name: string) => (context: Parameters<Step>[0]) =>
      name === 'read' && canRead ? succeed(context) : Promise.reject(error)
    const service = serviceWith({ read: failing('read'), caption: failing('caption') })
    await service.run(id)
    expect((await stateOf(id)).step('caption')).toMatchObject({ status: 'failed', attempts: 1 })
    const runNights = async (count: number, steps: ('read' | 'caption')[]) => {
      const attempts: (number | undefined)[] = []
      for (let night = 0; night < count; night++) {
        for (const list of [jobs, notifications, events]) list.length = 0
        await service.reprocess(processing.userId, id, steps, { retriesOnce: true })
        await pool.query(`UPDATE media_steps SET started_at = started_at - interval '1 day' WHERE status <> 'pending'`)
        await service.run(id, undefined, jobs[0]?.since)
        attempts.push((await stateOf(id)).step('caption')?.attempts)
      }
      return attempts
    }
    for (let night = 1; night <= 3; night++) {
      expect(await runNights(1, ['read', 'caption'])).toEqual([4 + night])
      expect(events.at(-1)).toEqual({ type: 'media.updated', ids: [id] })
    }
    // One of two that finally succeeds is announced.
    canRead = true
    expect(await runNights(1, ['read', 'caption'])).toEqual([8])
    expect(events.at(-1)).toEqual({ type: 'media.done', id })

    error = new EngineError('The key is refused.', { code: 'model_key_refused', isPermanent: true })
    expect(await runNights(3, ['caption'])).toEqual([8, 8, 8])
    expect(events.at(-1)).toEqual({ type: 'media.updated', ids: [id] })
    error = new EngineError('It answers nothing.', { code: 'empty_answer', isPermanent: true })
    expect(await runNights(2, ['caption'])).toEqual([9, 10])
  })

  test('unexpectedly is retried, and shows no internal details', async () => {
    const id = await newItem()
    await serviceWith({ read: () => Promise.reject(new TypeError('x is not a function')) }).run(id)
    expect((await stateOf(id)).step('read')).toMatchObject({
      status: 'pending',
      error: 'Something unexpected went wrong.',
    })
  })

  test('for lack of disk space doesn’t start until there’s space', async () => {
    const traits = { mediaType: 'video', processingStatus: 'pending', durationSeconds: 60 } as const
    const { id } = await insertMediaItem(processing.database, processing.userId, traits)
    const service = serviceWith()
    processing.disk.freeBytes = 510_000_000
    await service.run(id)
    expect(startedSteps).toEqual(['inspect', 'read', 'caption', 'embed'])
    const waiting = (await stateOf(id)).step('playback')
    expect(waiting).toMatchObject({ status: 'pending', error: expect.stringContaining('too full') })
    processing.disk.freeBytes = 1_000_000_000
    await makeRetriesDue()
    await service.run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: { playback: 'completed' } })
  })

  test('because the disk fills up is aborted, and retried later', async () => {
    const { id } = await insertMediaItem(processing.database, processing.userId, {
      mediaType: 'video',
      processingStatus: 'pending',
    })
    const { state, step } = createBlockingStep()
    const running = serviceWith({ playback: step }).run(id)
    await state.started.promise
    processing.disk.freeBytes = 100_000_000
    await running
    expect(state.aborted).toBe(true)
    const ended = (await stateOf(id)).step('playback')
    expect(ended).toMatchObject({ status: 'pending', error: expect.stringContaining('too full') })
  })

  test('because there’s no engine is skipped with the reason', async () => {
    const id = await newItem()
    const skipped = say('no_engine', {})
    await serviceWith({ caption: async () => ({ engine: null, model: null, skipped }) }).run(id)
    expect((await stateOf(id)).step('caption')).toMatchObject({
      status: 'skipped',
      error: skipped.text,
      errorSentences: skipped.sentences,
    })
  })
})
