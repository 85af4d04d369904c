import { expect, test, vi } from 'vitest'
import { currentUserKey, runAsUser, SERVER_KEY } from './current-user.ts'
import { joinCalls } from './joining.ts'

const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

test('calls that come while one is under way are done together, and each gets its own output', async () => {
  const ends: (() => void)[] = []
  const work = vi.fn(async (inputs: number[]) => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return inputs.map((input) => input * 2)
  })
  const double = joinCalls(work, { atOnce: 1, max: 3, concernsInput: () => false })
  const first = double(1)
  await soon()
  const others = Promise.all([2, 3, 4, 5].map(double))
  await soon()
  expect(work.mock.calls).toEqual([[[1]]])
  for (let ended = 0; ended < 3; ended++) {
    ends[ended]?.()
    await soon()
  }
  expect(await first).toBe(2)
  expect(await others).toEqual([4, 6, 8, 10])
  expect(work.mock.calls.slice(1)).toEqual([[[2, 3, 4]], [[5]]])
})

test('the size of inputs counts, and one that is larger than all together may be is done alone', async () => {
  const work = vi.fn(async (inputs: string[]) => inputs)
  const joined = joinCalls(work, { atOnce: 1, max: 4, sizeOf: ({ length }) => length, concernsInput: () => false })
  await Promise.all(['ab', 'cd', 'e', 'very long', 'f'].map(joined))
  expect(work.mock.calls).toEqual([[['ab', 'cd']], [['e']], [['very long']], [['f']]])
})

test('nobody fails because of the input of another', async () => {
  const work = async (inputs: number[]) => {
    if (inputs.includes(13)) throw new Error('unlucky')
    return inputs
  }
  const joined = joinCalls(work, { atOnce: 1, max: 10, concernsInput: () => true })
  const settled = await Promise.allSettled([1, 13, 2].map(joined))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a failure of no single input is everyone’s at once: a server that hangs is not waited for again and again', async () => {
  const work = vi.fn(async () => {
    throw new Error('timeout')
  })
  const joined = joinCalls(work, { atOnce: 1, max: 10, concernsInput: () => false })
  const settled = await Promise.allSettled([1, 2, 3].map(joined))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(work).toHaveBeenCalledTimes(1)
})

test('joined work belongs to no user: others do not wait in the line of the one who came first', async () => {
  const work = async (inputs: number[]) => inputs.map(() => currentUserKey())
  const joined = joinCalls(work, { atOnce: 1, max: 1, concernsInput: () => false })
  const keys = await runAsUser('ana', () => Promise.all([joined(1), joined(2)]))
  expect(keys).toEqual([SERVER_KEY, SERVER_KEY])
})
