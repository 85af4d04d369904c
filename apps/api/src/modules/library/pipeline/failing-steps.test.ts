import { describe, expect, test } from 'vitest'
import { insertHook, insertMediaItem } from '../../../../test/factories.ts'
import { allCompleted, done, holder, setUpProcessing } from '../../../../test/processing-setup.ts'
import { EngineError, UnavailableError, ValidationError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'
import type { Step } from './step.ts'

const processing = setUpProcessing()
const { startedSteps, events, notifications, jobs, serviceWith, newItem, stateOf, letTimePass } = processing

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
    expect(startedSteps.filter((name) => name === 'caption')).toHaveLength(1)
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
    expect(startedSteps.filter((name) => name === 'read')).toHaveLength(4)
    const { status, step } = await stateOf(id)
    expect(status).toBe('completed')
    expect(step('read')).toMatchObject({ status: 'failed', error: 'The reader is away.', attempts: 4 })
  })

  test.each([
    ['inspect', 'media_failed'],
    ['read', 'media_done'],
  ] as const)(
    'in %s is tried once more each night, and nobody is told of the same failure again',
    async (name, kind) => {
      const id = await newItem()
      const { prisma } = processing.database
      const hook = await insertHook(processing.database, processing.userId)
      await prisma.hook.update({ where: { id: hook.id }, data: { events: ['media.done', 'media.failed'] } })
      const noted = async () => (await prisma.hookNotice.findMany()).map(({ event }) => event)
      let isDown = true
      const slowly: Step = async (context) => {
        await processing.database.pool.query(
          `UPDATE media_steps SET started_at = started_at - interval '2 minutes' WHERE status <> 'processing'`,
        )
        return done(context)
      }
      const service = serviceWith({
        look: slowly,
        [name]: (context: Parameters<Step>[0]) =>
          isDown ? Promise.reject(new UnavailableError('The reader is away.')) : done(context),
      })
      for (let runs = 0; runs < 4; runs++) {
        await service.run(id)
        await letTimePass()
      }
      expect((await stateOf(id)).step(name)).toMatchObject({ status: 'failed', attempts: 4 })
      expect(notifications).toMatchObject([{ kind }])
      const runAtNight = async () => {
        for (const list of [jobs, notifications, events]) list.length = 0
        await prisma.hookNotice.deleteMany()
        await service.reprocess(processing.userId, id, [name], { keepsAttempts: true })
        await service.run(id)
      }
      await runAtNight()
      expect((await stateOf(id)).step(name)).toMatchObject({ status: 'failed', attempts: 5 })
      expect(notifications).toEqual([])
      expect(await noted()).toEqual([])
      expect(events.at(-1)).toEqual({ type: 'media.updated', ids: [id] })
      isDown = false
      await runAtNight()
      expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: allCompleted })
      expect(events.at(-1)).toEqual({ type: 'media.done', id })
      expect(await noted()).toEqual(['media.done'])
    },
  )

  test('for good is told of once, and tried each night for as long as its engine is away', async () => {
    const id = await newItem()
    const { pool } = processing.database
    let error: Error = new ValidationError('Too large.')
    let canRead = false
    const fails = (name: string) => (context: Parameters<Step>[0]) =>
      name === 'read' && canRead ? done(context) : Promise.reject(error)
    const service = serviceWith({ read: fails('read'), caption: fails('caption') })
    await service.run(id)
    expect((await stateOf(id)).step('caption')).toMatchObject({ status: 'failed', attempts: 1 })
    const nights = async (count: number, steps: ('read' | 'caption')[]) => {
      const attempts: (number | undefined)[] = []
      for (let night = 0; night < count; night++) {
        for (const list of [jobs, notifications, events]) list.length = 0
        await service.reprocess(processing.userId, id, steps, { keepsAttempts: true })
        await pool.query(`UPDATE media_steps SET started_at = started_at - interval '1 day' WHERE status <> 'pending'`)
        await service.run(id, undefined, jobs[0]?.since)
        attempts.push((await stateOf(id)).step('caption')?.attempts)
      }
      return attempts
    }
    for (let night = 1; night <= 3; night++) {
      expect(await nights(1, ['read', 'caption'])).toEqual([4 + night])
      expect(events.at(-1)).toEqual({ type: 'media.updated', ids: [id] })
    }
    // one of two that is done at last is news
    canRead = true
    expect(await nights(1, ['read', 'caption'])).toEqual([8])
    expect(events.at(-1)).toEqual({ type: 'media.done', id })

    error = new EngineError('The key is refused.', { code: 'model_key_refused', isLasting: true })
    expect(await nights(3, ['caption'])).toEqual([8, 8, 8])
    expect(events.at(-1)).toEqual({ type: 'media.updated', ids: [id] })
    error = new EngineError('It answers nothing.', { code: 'empty_answer', isLasting: true })
    expect(await nights(2, ['caption'])).toEqual([9, 10])
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
    const { id } = await insertMediaItem(processing.database, processing.userId, traits)
    const service = serviceWith()
    processing.disk.freeBytes = 510_000_000
    await service.run(id)
    expect(startedSteps).toEqual(['inspect', 'read', 'caption', 'embed'])
    const waiting = (await stateOf(id)).step('playback')
    expect(waiting).toMatchObject({ status: 'pending', error: expect.stringContaining('too full') })
    processing.disk.freeBytes = 1_000_000_000
    await letTimePass()
    await service.run(id)
    expect(await stateOf(id)).toMatchObject({ status: 'completed', steps: { playback: 'completed' } })
  })

  test('while the disk fills up is ended, and tried again later', async () => {
    const { id } = await insertMediaItem(processing.database, processing.userId, {
      mediaType: 'video',
      processingStatus: 'pending',
    })
    const { state, step } = holder()
    const running = serviceWith({ playback: step }).run(id)
    await state.started.promise
    processing.disk.freeBytes = 100_000_000
    await running
    expect(state.aborted).toBe(true)
    const ended = (await stateOf(id)).step('playback')
    expect(ended).toMatchObject({ status: 'pending', error: expect.stringContaining('too full') })
  })

  test('because there is no engine is skipped, with the reason', async () => {
    const id = await newItem()
    const skipped = say('no_engine', {})
    await serviceWith({ caption: async () => ({ engine: null, model: null, skipped }) }).run(id)
    expect((await stateOf(id)).step('caption')).toMatchObject({
      status: 'skipped',
      error: skipped.text,
      errorTold: skipped.told,
    })
  })
})
