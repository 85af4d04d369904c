import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UserEvent } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { openDatabase } from '../database/client.ts'
import { createEvents, type Events } from './events.service.ts'

const localDeps = { listen: () => () => {}, notify: async () => {}, log: silentLog }
const updated = (session_id = randomUUID()): UserEvent => ({
  type: 'chat.updated',
  session_id,
  deleted: false,
  answering: false,
})

/** Subscribes in the background; `receivedEvents` grows as events arrive. */
function listenTo(events: Events, userId: string) {
  const stop = new AbortController()
  const receivedEvents: UserEvent[] = []
  const ended = (async () => {
    for await (const event of events.subscribe(userId, stop.signal)) receivedEvents.push(event)
  })()
  return { receivedEvents, ended, stop: () => stop.abort() }
}

describe('events', () => {
  test('reach every listener of the user, in order, and no other user', async () => {
    const events = createEvents(localDeps)
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

  test('are not kept for later listeners', async () => {
    const events = createEvents(localDeps)
    events.publish('a', updated())
    const listener = listenTo(events, 'a')
    await sleep(0)
    listener.stop()
    await listener.ended
    expect(listener.receivedEvents).toEqual([])
  })

  test('end after the connection to other servers was lost, so that clients load everything again', async () => {
    let reconnect = () => {}
    const listen = (_channel: string, _handler: unknown, onReconnected = () => {}) => {
      reconnect = onReconnected
      return () => {}
    }
    const events = createEvents({ ...localDeps, listen })
    const listener = listenTo(events, 'a')
    await sleep(20)
    const reconnectedAt = performance.now()
    reconnect()
    await listener.ended
    const stop = new AbortController()
    const iterator = events.subscribe('a', stop.signal, { sendsConnectedEvent: true })[Symbol.asyncIterator]()
    const { value: greeting } = await iterator.next()
    stop.abort()
    expect(greeting).toMatchObject({ type: 'events.connected' })
    expect((greeting as { quiet_ms: number }).quiet_ms).toBeLessThanOrEqual(performance.now() - reconnectedAt)
  })

  test('end for a listener that falls far behind', async () => {
    const events = createEvents(localDeps)
    const iterator = events.subscribe('a', new AbortController().signal)[Symbol.asyncIterator]()
    const first = iterator.next()
    for (let count = 0; count < 500; count++) events.publish('a', updated())
    await first
    let eventCount = 1
    while (!(await iterator.next()).done) eventCount++
    expect(eventCount).toBeLessThanOrEqual(201)
  })

  test('end for the oldest stream when a user opens more than 20', async () => {
    const events = createEvents(localDeps)
    const listeners = Array.from({ length: 21 }, () => listenTo(events, 'a'))
    await listeners[0]?.ended
    events.publish('a', updated())
    await sleep(0)
    expect(listeners.map(({ receivedEvents }) => receivedEvents.length)).toEqual([0, ...Array(20).fill(1)])
    for (const listener of listeners) listener.stop()
  })

  test('reach listeners even when the database is unreachable', async () => {
    const events = createEvents({ ...localDeps, notify: async () => Promise.reject(new Error('gone')) })
    const listener = listenTo(events, 'a')
    await sleep(0)
    events.publish('a', updated())
    await sleep(0)
    expect(listener.receivedEvents).toHaveLength(1)
    listener.stop()
  })
})

describe('the first event of a stream has the time since the last event', () => {
  const quietOf = async (events: Events, userId: string) => {
    const stream = events.subscribe(userId, AbortSignal.timeout(1000), { sendsConnectedEvent: true })
    for await (const event of stream) if (event.type === 'events.connected') return event.quiet_ms
    throw new Error('no greeting arrived')
  }

  test('as far as this server knows', async () => {
    const events = createEvents(localDeps)
    await sleep(100)
    events.publish('a', updated())
    expect(await quietOf(events, 'a')).toBeLessThan(90)
    expect(await quietOf(events, 'b')).toBeGreaterThanOrEqual(99)
  })

  test('and for users forgotten among many, the shortest time that it can have been', async () => {
    const events = createEvents(localDeps)
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
    const [firstEvents, secondEvents] = [first, second].map((database) => createEvents({ ...database, log: silentLog }))
    const [localListener, remoteListener] = [listenTo(firstEvents!, 'a'), listenTo(secondEvents!, 'a')]
    await sleep(300)
    const event = updated()
    firstEvents!.publish('a', event)
    await expect.poll(() => remoteListener.receivedEvents).toEqual([event])
    await sleep(100)
    expect([localListener.receivedEvents, remoteListener.receivedEvents]).toEqual([[event], [event]])
    localListener.stop()
    remoteListener.stop()
  })
})
