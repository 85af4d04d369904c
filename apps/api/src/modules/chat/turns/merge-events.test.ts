import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mergeEvents } from './ask.ts'

const collect = async (events: AsyncIterable<string>, collected: string[] = []) => {
  for await (const event of events) collected.push(event)
  return collected
}

test('events are yielded in the order in which they’re emitted, however late', async () => {
  const events = mergeEvents<string>(async (emit) => {
    emit('a')
    await Promise.all([sleep(100).then(() => emit('c')), sleep(1).then(() => emit('b'))])
    emit('d')
  })
  expect(await collect(events)).toEqual(['a', 'b', 'c', 'd'])
})

test('events emitted before an error are yielded before it’s thrown', async () => {
  const collected: string[] = []
  const events = mergeEvents<string>(async (emit) => {
    emit('a')
    await sleep(1)
    emit('b')
    throw new Error('broken')
  })
  await expect(collect(events, collected)).rejects.toThrow('broken')
  expect(collected).toEqual(['a', 'b'])
})
