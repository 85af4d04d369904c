import { expect, test } from 'vitest'
import { DatabaseGoneError } from './availability.ts'
import { tryEach } from './try-each.ts'

/** Handles numbers, failing for the odd ones. @returns the handled numbers and the error. */
async function handleEvenOnes(numbers: number[], failure: (number: number) => Error, signal?: AbortSignal) {
  const handled: number[] = []
  const error = await tryEach(
    numbers,
    async (number) => {
      if (number % 2 === 1) throw failure(number)
      handled.push(number)
    },
    signal,
  ).catch((reason: unknown) => reason as Error)
  return { handled, error }
}

test('an item that can’t be handled doesn’t hold up the others, and its failure is reported at the end', async () => {
  const { handled, error } = await handleEvenOnes([0, 1, 2], (number) => new Error(`no ${number}`))
  expect(handled).toEqual([0, 2])
  expect(error).toEqual(new Error('no 1'))
})

test('several failures are reported together, the first ones with their reasons', async () => {
  const { handled, error } = await handleEvenOnes([1, 2, 3, 5, 7, 9, 11], (number) => new Error(`no ${number}`))
  expect(handled).toEqual([2])
  expect((error as AggregateError).errors).toHaveLength(5)
  expect(error?.message).toBe('Error: no 1; Error: no 3; Error: no 5; Error: no 7; Error: no 9; …')
})

test('an outage of the database, which would fail every item, ends the work at once', async () => {
  const { handled, error } = await handleEvenOnes([0, 1, 2], () => Object.assign(new Error('away'), { code: '57P01' }))
  expect(handled).toEqual([0])
  expect(error).toMatchObject({ code: '57P01' })
  // The statement itself may have ended the database.
  expect((await handleEvenOnes([0, 1, 2], () => new DatabaseGoneError('it ended'))).handled).toEqual([0, 2])
  expect((await handleEvenOnes([0, 1, 3, 4], () => new DatabaseGoneError('it ended'))).handled).toEqual([0])
})

test('nothing more is tried once the work was stopped', async () => {
  const stopping = new AbortController()
  const { handled, error } = await handleEvenOnes(
    [0, 1, 2],
    () => {
      stopping.abort(new Error('stopped'))
      return new Error('no')
    },
    stopping.signal,
  )
  expect([handled, error]).toEqual([[0], new Error('stopped')])
})
