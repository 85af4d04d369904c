import { expect, test } from 'vitest'
import type { StepContext, Steps } from './processing.ts'
import { withSandboxNote } from './sandbox-note.ts'

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
