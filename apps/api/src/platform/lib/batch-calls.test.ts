import { expect, test, vi } from 'vitest'
import { batchCalls } from './batch-calls.ts'
import { currentUserKey, runAsUser, SERVER_KEY } from './current-user.ts'

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve))

test('calls during a running one are joined, and each gets its own output', async () => {
  const ends: (() => void)[] = []
  const work = vi.fn(async (inputs: number[]) => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return inputs.map((input) => input * 2)
  })
  const double = batchCalls(work, { atOnce: 1, max: 3, concernsInput: () => false })
  const first = double(1)
  await nextTick()
  const others = Promise.all([2, 3, 4, 5].map(double))
  await nextTick()
  expect(work.mock.calls).toEqual([[[1]]])
  for (let ended = 0; ended < 3; ended++) {
    ends[ended]?.()
    await nextTick()
  }
  expect(await first).toBe(2)
  expect(await others).toEqual([4, 6, 8, 10])
  expect(work.mock.calls.slice(1)).toEqual([[[2, 3, 4]], [[5]]])
})

test('the total size of inputs is limited, and an input above the limit runs alone', async () => {
  const work = vi.fn(async (inputs: string[]) => inputs)
  const joined = batchCalls(work, { atOnce: 1, max: 4, sizeOf: ({ length }) => length, concernsInput: () => false })
  await Promise.all(['ab', 'cd', 'e', 'very long', 'f'].map(joined))
  expect(work.mock.calls).toEqual([[['ab', 'cd']], [['e']], [['very long']], [['f']]])
})

test('an invalid input fails only its own call', async () => {
  const work = async (inputs: number[]) => {
    if (inputs.includes(13)) throw new Error('unlucky')
    return inputs
  }
  const joined = batchCalls(work, { atOnce: 1, max: 10, concernsInput: () => true })
  const settled = await Promise.allSettled([1, 13, 2].map(joined))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a failure that concerns no input fails all calls at once, so that none waits for a hanging server again', async () => {
  const work = vi.fn(async () => {
    throw new Error('timeout')
  })
  const joined = batchCalls(work, { atOnce: 1, max: 10, concernsInput: () => false })
  const settled = await Promise.allSettled([1, 2, 3].map(joined))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(work).toHaveBeenCalledTimes(1)
})

test('joined work belongs to no user, so that others do not wait in the queue of the first', async () => {
  const work = async (inputs: number[]) => inputs.map(() => currentUserKey())
  const joined = batchCalls(work, { atOnce: 1, max: 1, concernsInput: () => false })
  const keys = await runAsUser('ana', () => Promise.all([joined(1), joined(2)]))
  expect(keys).toEqual([SERVER_KEY, SERVER_KEY])
})
