import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UserEvent } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { openDatabase } from '../database/client.ts'
import { createEvents, type Events } from './events.service.ts'

const quiet = { listen: () => () => {}, notify: async () => {}, log: silentLog }
const updated = (session_id = randomUUID()): UserEvent => ({
  type: 'chat.updated',
  session_id,
  deleted: false,
  answering: false,
})

/** Listens in the background; `seen` grows as events come. */
function listenTo(events: Events, userId: string) {
  const stop = new AbortController()
  const receivedEvents: UserEvent[] = []
  const ended = (async () => {
    for await (const event of events.subscribe(userId, stop.signal)) receivedEvents.push(event)
  })()
  return { receivedEvents, ended, stop: () => stop.abort() }
}

describe('events', () => {
  test('reach every listener of the user, in order, and nobody else', async () => {
    const events = createEvents(quiet)
    const [first, second, other] = [listenTo(events, 'a'), listenTo(events, 'a'), listenTo(events, 'b')]
    await sleep(0)
    const published = [updated(), updated(), updated()]
    for (const event of published) events.publish('a', event)
    await sleep(0)
    expect([first.receivedEvents, second.receivedEvents, other.receivedEvents]).toEqual([published, published, []])
    for (const listener of [first, second, other]) {
      listener.stop()
      await listener.ended
    }
  })

  test('are not kept for those who come later', async () => {
    const events = createEvents(quiet)
    events.publish('a', updated())
    const listener = listenTo(events, 'a')
    await sleep(0)
    listener.stop()
    await listener.ended
    expect(listener.receivedEvents).toEqual([])
  })

  test('end, to be read anew, once the connection to other servers had been lost', async () => {
    let reconnect = () => {}
    const listen = (_channel: string, _handler: unknown, onReconnected = () => {}) => {
      reconnect = onReconnected
      return () => {}
    }
    const events = createEvents({ ...quiet, listen })
    const listener = listenTo(events, 'a')
    await sleep(20)
    const reconnectedAt = performance.now()
    reconnect()
    await listener.ended
    const stop = new AbortController()
    const again = events.subscribe('a', stop.signal, { isGreeted: true })[Symbol.asyncIterator]()
    const { value: greeting } = await again.next()
    stop.abort()
    expect(greeting).toMatchObject({ type: 'events.connected' })
    expect((greeting as { quiet_ms: number }).quiet_ms).toBeLessThanOrEqual(performance.now() - reconnectedAt)
  })

  test('end for a listener that falls far behind', async () => {
    const events = createEvents(quiet)
    const iterator = events.subscribe('a', new AbortController().signal)[Symbol.asyncIterator]()
    const first = iterator.next()
    for (let count = 0; count < 500; count++) events.publish('a', updated())
    await first
    let eventCount = 1
    while (!(await iterator.next()).done) eventCount++
    expect(eventCount).toBeLessThanOrEqual(201)
  })

  test('end for the oldest stream when a user opens more than 20', async () => {
    const events = createEvents(quiet)
    const listeners = Array.from({ length: 21 }, () => listenTo(events, 'a'))
    await listeners[0]?.ended
    events.publish('a', updated())
    await sleep(0)
    expect(listeners.map(({ receivedEvents }) => receivedEvents.length)).toEqual([0, ...Array(20).fill(1)])
    for (const listener of listeners) listener.stop()
  })

  test('are told to others even when the database cannot be reached', async () => {
    const events = createEvents({ ...quiet, notify: async () => Promise.reject(new Error('gone')) })
    const listener = listenTo(events, 'a')
    await sleep(0)
    events.publish('a', updated())
    await sleep(0)
    expect(listener.receivedEvents).toHaveLength(1)
    listener.stop()
  })
})

describe('the first event of a stream tells how long ago the last one was', () => {
  const quietOf = async (events: Events, userId: string) => {
    const stream = events.subscribe(userId, AbortSignal.timeout(1000), { isGreeted: true })
    for await (const event of stream) if (event.type === 'events.connected') return event.quiet_ms
    throw new Error('It did not come.')
  }

  test('as far as this server knows', async () => {
    const events = createEvents(quiet)
    await sleep(100)
    events.publish('a', updated())
    expect(await quietOf(events, 'a')).toBeLessThan(90)
    expect(await quietOf(events, 'b')).toBeGreaterThanOrEqual(99)
  })

  test('and of users whom it forgot among many, how long ago it can have been at the least', async () => {
    const events = createEvents(quiet)
    await sleep(100)
    const startedAt = performance.now()
    for (let count = 0; count <= 10_000; count++) events.publish(`${count}`, updated())
    expect(await quietOf(events, '0')).toBeLessThanOrEqual(performance.now() - startedAt)
  })
})

describe.skipIf(!process.env.TEST_DATABASE_URL)('events on two servers with one database', () => {
  let first: TestDatabase
  let second: Awaited<ReturnType<typeof openDatabase>>

  beforeAll(async () => {
    first = await openTestDatabase()
    second = await openDatabase({ databaseUrl: first.databaseUrl, dataDir: 'memory://', log: silentLog })
  })
  afterAll(async () => {
    await second.close()
    await first.close()
  })

  test('reach listeners on the other server, once', async () => {
    const [here, there] = [first, second].map((database) => createEvents({ ...database, log: silentLog }))
    const [nearby, faraway] = [listenTo(here!, 'a'), listenTo(there!, 'a')]
    await sleep(300)
    const event = updated()
    here!.publish('a', event)
    await expect.poll(() => faraway.receivedEvents).toEqual([event])
    await sleep(100)
    expect([nearby.receivedEvents, faraway.receivedEvents]).toEqual([[event], [event]])
    nearby.stop()
    faraway.stop()
  })
})
