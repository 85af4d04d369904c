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

test('the owner of a file that was read without a sandbox is told so, once for each file', async () => {
  const noted = withSandboxNote(steps, () => false)
  expect(await noted.image.inspect(context)).toMatchObject({ note: { told: [{ code: 'read_unsandboxed' }] } })
  expect(await noted.image.read?.(context)).not.toHaveProperty('note')
})

test('nothing is said of a sandbox that holds', async () => {
  expect(await withSandboxNote(steps, () => true).document.inspect(context)).not.toHaveProperty('note')
})

const bodyOf = (originalFilename: string, details = {}, camera: string | null = null) =>
  nameMoments({ originalFilename, details, camera })[0]?.body

test('a file is found by the words of its name, its tags and its camera', () => {
  expect(bodyOf('IMG_2034-beachParty.final.jpg')).toBe('IMG_2034-beachParty.final.jpg · IMG 2034 beach Party final')
  expect(bodyOf('01.mp3', { title: 'Gymnopédie', artist: 'Satie', codec: 'mp3' }, null)).toBe(
    '01.mp3 · 01 · Gymnopédie · Satie',
  )
  expect(bodyOf('a.jpg', {}, 'Canon EOS 5D')).toBe('a.jpg · a · Canon EOS 5D')
})

test('a name of nothing but signs is kept as it is, and a long one is cut', () => {
  expect(bodyOf('🏖️.jpg')).toBe('🏖️.jpg')
  expect(bodyOf('x'.repeat(3000))?.length).toBe(1000)
})

test('while files or the database are away a step waits for as long as it takes; other failures are given up', async () => {
  let error: Error = new UnavailableError('It is away.', { code: 'files_unavailable' })
  const counted: number[] = []
  const deps = {
    store: { countAttempt: async (_itemId: string, _run: unknown, by: number) => counted.push(by) },
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
  expect(counted).toEqual([-1])
  error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect(await fail(MAX_ATTEMPTS)).toBe('pending')
  // a file may be what makes a statement too slow, or the database crash
  for (const code of ['57014', '57P02', 'DATABASE_GONE']) {
    error = Object.assign(new Error('The statement ended.'), { code })
    expect(await fail(MAX_ATTEMPTS)).toBe('failed')
  }
  // a model server that is away is no outage of the database
  error = new UnavailableError('It is away.', {
    code: 'unavailable',
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  })
  expect(await fail(MAX_ATTEMPTS)).toBe('failed')
})

test('a disk that fills up while a file is copied for a step is told as full', () => {
  const runs = createStepRuns({ concurrency: 1, log: silentLog } as unknown as StepRunsDeps)
  const error = Object.assign(new Error('ENOSPC: no space left on device, copyfile'), { code: 'ENOSPC' })
  const row = { name: 'inspect', attempts: 1 } as ProcessingStepRow
  expect(runs.endOfFailure(error, row, 'item')).toMatchObject({ status: 'pending', told: [{ code: 'storage_full' }] })
})
