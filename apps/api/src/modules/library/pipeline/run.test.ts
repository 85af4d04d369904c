import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { UnavailableError } from '../../../errors.ts'
import { MAX_ATTEMPTS } from './plan.ts'
import { createStepRuns, nameMoments, type StepRunsDeps, withSandboxNote } from './run.ts'
import type { ProcessingStepRow, StepContext, StepItem, Steps } from './step.ts'

const context = undefined as unknown as StepContext
const step = async () => ({ engine: null, model: null })
const steps: Steps = {
  image: { inspect: step, read: step },
  video: { inspect: step },
  audio: { inspect: step },
  document: { inspect: step },
}

test('notes that a file was read without a sandbox, once per file', async () => {
  const notedSteps = withSandboxNote(steps, () => false)
  expect(await notedSteps.image.inspect(context)).toMatchObject({ note: { sentences: [{ code: 'read_unsandboxed' }] } })
  expect(await notedSteps.image.read?.(context)).not.toHaveProperty('note')
})

test('notes nothing when the sandbox works', async () => {
  expect(await withSandboxNote(steps, () => true).document.inspect(context)).not.toHaveProperty('note')
})

const bodyOf = (originalFilename: string, details = {}, camera: string | null = null) =>
  nameMoments({ originalFilename, details, camera })[0]?.body

test('makes a file searchable by the words of its name, its tags and its camera', () => {
  expect(bodyOf('IMG_2034-beachParty.final.jpg')).toBe('IMG_2034-beachParty.final.jpg · IMG 2034 beach Party final')
  expect(bodyOf('01.mp3', { title: 'Gymnopédie', artist: 'Satie', codec: 'mp3' }, null)).toBe(
    '01.mp3 · 01 · Gymnopédie · Satie',
  )
  expect(bodyOf('a.jpg', {}, 'Canon EOS 5D')).toBe('a.jpg · a · Canon EOS 5D')
})

test('keeps a name of nothing but symbols, and truncates a long one', () => {
  expect(bodyOf('🏖️.jpg')).toBe('🏖️.jpg')
  expect(bodyOf('x'.repeat(3000))?.length).toBe(1000)
})

test('retries a step for as long as files or the database are unavailable, and abandons it after other failures', async () => {
  let error: Error = new UnavailableError('It is away.', { code: 'files_unavailable' })
  const attemptChanges: number[] = []
  const deps = {
    store: { countAttempt: async (_itemId: string, _run: unknown, change: number) => attemptChanges.push(change) },
    files: {
      useLocal: () => Promise.reject(error),
      freeBytes: async () => Number.MAX_SAFE_INTEGER,
    },
    steps,
    concurrency: 1,
    log: silentLog,
  } as unknown as StepRunsDeps
  const item = { id: 'item', userId: 'user', mediaType: 'image', run: { step: 'inspect' } } as unknown as StepItem
  const fail = async (attempts: number) => {
    const row = { name: 'inspect', attempts } as ProcessingStepRow
    const options = { language: 'en', stop: new AbortController().signal, report: () => {} }
    return (await createStepRuns(deps).run(item, row, options))?.end.status
  }
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) expect(await fail(attempts)).toBe('pending')
  expect(attemptChanges).toEqual([-1])
  error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect(await fail(MAX_ATTEMPTS)).toBe('pending')
  // The file may be the cause of a slow statement or a database crash.
  for (const code of ['57014', '57P02', 'DATABASE_GONE']) {
    error = Object.assign(new Error('The statement ended.'), { code })
    expect(await fail(MAX_ATTEMPTS)).toBe('failed')
  }
  // An unreachable model server isn't an outage of the database.
  error = new UnavailableError('It is away.', {
    code: 'unavailable',
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  })
  expect(await fail(MAX_ATTEMPTS)).toBe('failed')
})

test('reports a full disk when a file can’t be copied for a step', () => {
  const runs = createStepRuns({ concurrency: 1, log: silentLog } as unknown as StepRunsDeps)
  const error = Object.assign(new Error('ENOSPC: no space left on device, copyfile'), { code: 'ENOSPC' })
  const row = { name: 'inspect', attempts: 1 } as ProcessingStepRow
  expect(runs.endOfFailure(error, row, 'item')).toMatchObject({
    status: 'pending',
    errorSentences: [{ code: 'storage_full' }],
  })
})
