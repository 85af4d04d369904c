import type { ProcessingStep } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import { newEntry } from './queue-entry.ts'
import { currentSteps, runProgress, stepsPercent } from './uploads.ts'

const step = (name: ProcessingStep['name'], status: ProcessingStep['status'], progress = 0): ProcessingStep => ({
  name,
  status,
  progress,
  engine: null,
  error: null,
})
const entry = (id: number, bytes: number) => newEntry(id, new File(['x'.repeat(bytes)], `${id}.png`))

describe('the progress of a run', () => {
  const entries = [
    { ...entry(1, 100), status: 'processing' as const },
    { ...entry(2, 100), status: 'uploading' as const, progress: 50 },
    entry(3, 200),
  ]
  const run = { startedAtMs: 0, finishedFiles: 1, failedFiles: 0, finishedBytes: 100, sentBytes: 150 }

  it('counts files and bytes, and estimates the remaining time from the speed', () => {
    expect(runProgress(run, entries, 3_000)).toEqual({
      fileNumber: 2,
      fileCount: 3,
      doneBytes: 150,
      totalBytes: 400,
      percent: 37.5,
      secondsLeft: 5,
    })
  })

  it('has no estimate at the beginning', () => {
    expect(runProgress(run, entries, 1_000).secondsLeft).toBeNull()
    expect(runProgress({ ...run, sentBytes: 0 }, entries, 9_000).secondsLeft).toBeNull()
  })
})

describe('the progress of processing', () => {
  it('is the mean of the steps, counting completed and skipped ones as done', () => {
    const steps = [
      step('inspect', 'completed'),
      step('read', 'processing', 0.5),
      step('caption', 'skipped'),
      step('embed', 'pending'),
    ]
    expect(stepsPercent(steps)).toBe(62.5)
    expect(stepsPercent([])).toBeNull()
  })

  it('names the running steps, or else the next one', () => {
    const read = step('read', 'processing', 0.5)
    const caption = step('caption', 'processing')
    const embed = step('embed', 'pending')
    expect(currentSteps([step('inspect', 'completed'), read, caption, embed])).toEqual([read, caption])
    expect(currentSteps([step('inspect', 'completed'), embed, step('look', 'pending')])).toEqual([embed])
  })
})
