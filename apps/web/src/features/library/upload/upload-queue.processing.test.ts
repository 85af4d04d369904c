import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../lib/api/client.ts'
import { itemOf, setUpProcessing, step } from './upload-queue.fixture.ts'

describe('a file that the server is processing', () => {
  it('is tracked by events until its result', async () => {
    const { queue, items, settle, statuses } = await setUpProcessing()
    queue.handleEvent({ type: 'media.progress', id: 'm1', steps: [step(0.5)] })
    expect(queue.entries.get()[0]?.steps).toEqual([step(0.5)])
    items.set('m1', itemOf('m1', { processing_status: 'completed', extracted_text: 'OPEN', content: 'x' }))
    queue.handleEvent({ type: 'media.done', id: 'm1' })
    await settle()
    expect(statuses()).toEqual(['a.png completed'])
    expect(queue.entries.get()[0]?.result).toEqual({
      caption: null,
      extractedText: 'OPEN',
      transcription: null,
      failedSteps: [],
      skippedSteps: [],
    })
  })

  it('lists skipped steps that would have found text, and no others', async () => {
    const { queue, items, settle } = await setUpProcessing()
    const skippedStep = { ...step(0), status: 'skipped' as const, error: 'The model is not on this server yet.' }
    const transcribe = { ...skippedStep, name: 'transcribe' as const }
    const processing_steps = [transcribe, { ...skippedStep, name: 'playback' as const }]
    items.set('m1', itemOf('m1', { processing_status: 'completed', processing_steps }))
    queue.handleEvent({ type: 'media.done', id: 'm1' })
    await settle()
    expect(queue.entries.get()[0]?.result).toMatchObject({ failedSteps: [], skippedSteps: [transcribe] })
  })

  it('fails with the reason, and is processed again on retry', async () => {
    const { queue, reprocessed, statuses, settle } = await setUpProcessing()
    queue.handleEvent({ type: 'media.failed', id: 'm1', error: 'The picture is damaged.' })
    expect(statuses()).toEqual(['a.png error'])
    expect(queue.entries.get()[0]?.error).toMatchObject({ message: 'The picture is damaged.' })
    await queue.retry(1)
    await settle()
    expect(reprocessed).toEqual(['m1'])
    expect(statuses()).toEqual(['a.png processing'])
  })

  it('is polled when no event has arrived for a while', async () => {
    const { queue, items, fetched, statuses, advanceClock } = await setUpProcessing()
    items.set('m1', itemOf('m1', { processing_steps: [step(0.9)] }))
    advanceClock(5_000)
    await queue.refreshSilentItems()
    expect(fetched).toEqual([])
    advanceClock(2_000)
    await queue.refreshSilentItems()
    await queue.refreshSilentItems()
    expect(fetched).toEqual(['m1'])
    expect(queue.entries.get()[0]?.steps).toEqual([step(0.9)])
    items.set('m1', itemOf('m1', { processing_status: 'failed', error: 'Damaged.' }))
    advanceClock(7_000)
    await queue.refreshSilentItems()
    expect(statuses()).toEqual(['a.png error'])
  })

  it('is polled immediately when events may have been missed', async () => {
    const { queue, items, statuses } = await setUpProcessing()
    items.set('m1', itemOf('m1', { processing_status: 'completed' }))
    queue.handleEvent({ type: 'events.resumed' })
    await queue.refreshSilentItems()
    expect(statuses()).toEqual(['a.png completed'])
  })

  it('stays in the queue when the server is unreachable, and fails when it was deleted', async () => {
    const { queue, items, statuses, advanceClock } = await setUpProcessing()
    items.set('m1', new ApiError(0, { code: 'network', detail: 'Away' }))
    advanceClock(7_000)
    await queue.refreshSilentItems()
    expect(statuses()).toEqual(['a.png processing'])
    items.set('m1', new ApiError(404, { code: 'not_found', detail: 'Gone' }))
    advanceClock(7_000)
    await queue.refreshSilentItems()
    expect(statuses()).toEqual(['a.png error'])
  })

  it('is removed from the queue when it is deleted elsewhere', async () => {
    const { queue, statuses } = await setUpProcessing()
    queue.handleEvent({ type: 'media.updated', ids: ['m1'], deleted: true })
    expect(statuses()).toEqual([])
  })
})
