import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mergeEvents } from './ask.ts'

const all = async (events: AsyncIterable<string>, into: string[] = []) => {
  for await (const event of events) into.push(event)
  return into
}

test('what is told is given in its order, whoever tells it and however late', async () => {
  const events = mergeEvents<string>(async (emit) => {
    emit('a')
    await Promise.all([sleep(100).then(() => emit('c')), sleep(1).then(() => emit('b'))])
    emit('d')
  })
  expect(await all(events)).toEqual(['a', 'b', 'c', 'd'])
})

test('what was told before it broke is given before it breaks', async () => {
  const into: string[] = []
  const events = mergeEvents<string>(async (emit) => {
    emit('a')
    await sleep(1)
    emit('b')
    throw new Error('broken')
  })
  await expect(all(events, into)).rejects.toThrow('broken')
  expect(into).toEqual(['a', 'b'])
})
