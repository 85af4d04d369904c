import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
import { type WebhookCalls, webhookCallsOf } from '../../../../test/webhook-calls.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../../../test/webhook-receiver.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { createWebhookOutbox } from './webhook-deliveries.ts'
import { createWebhooksStore } from './webhooks.store.ts'

/** Jobs start within moments, except on a busy machine. */
const soon = { timeout: 20_000 }

let mira: TestApp
let receiver: WebhookReceiver
let hooks: WebhookCalls
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  mira = await startTestApp({
    isStarted: true,
    environment: { FETCH_ALLOWED_HOSTS: receiver.host },
    hookLimits: { timeoutMs: 3_000, pausesSeconds: [0, 0] },
  })
  hooks = webhookCallsOf(mira, receiver)
})
afterAll(async () => {
  await mira.close()
  await receiver.close()
})

describe('a server that dies', () => {
  /** Webhook notices of another server, which processes them at startup and every five minutes. */
  const otherNotices = (queue: { enqueue: Queue['enqueue'] } = mira.context.queue) =>
    createWebhookOutbox({
      store: createWebhooksStore(mira.context.database),
      queue,
      log: mira.context.log,
    })
  const pendingNotices = () =>
    mira.context.database.prisma.webhookOutboxEvent.findMany({ select: { event: true, data: true } })

  test('after an event but before delivering it leaves it to the next one, which delivers it once', async () => {
    const account = await mira.createUser({ can_upload: true })
    const { id } = await hooks.add(account, '/orphaned')
    const item = await hooks.finishItem(account, { isPublished: false })
    expect((await hooks.deliveryLog(account, id)).deliveries).toEqual([])
    expect(await pendingNotices()).toMatchObject([{ event: 'media.done', data: { id: item.id } }])
    await Promise.all([otherNotices().sweep(), otherNotices().sweep()])
    await expect
      .poll(() => receiver.requestsTo('/orphaned').map(({ body }) => JSON.parse(body).data.id), soon)
      .toEqual([item.id])
    expect([await pendingNotices(), (await hooks.deliveryLog(account, id)).deliveries]).toMatchObject([
      [],
      [{ event: 'media.done' }],
    ])
  })

  test('before a commit leaves no notice', async () => {
    const account = await mira.createUser({ can_upload: true })
    await hooks.add(account, '/undone')
    const { prisma } = mira.context.database
    const { id } = await insertMediaItem(mira.context.database, account.user.id, { processingStatus: 'processing' })
    const transaction = prisma.$transaction(async (tx) => {
      await tx.mediaItem.update({ where: { id }, data: { processingStatus: 'completed' } })
      expect(await tx.webhookOutboxEvent.count()).toBe(1)
      throw new Error('died')
    })
    await expect(transaction).rejects.toThrow('died')
    expect(await pendingNotices()).toEqual([])
  })

  test('while storing deliveries stores all of them or none', async () => {
    const account = await mira.createUser({ can_upload: true })
    const { id } = await hooks.add(account, '/halfway')
    await hooks.finishItem(account, { isPublished: false })
    const dying = otherNotices({ enqueue: () => Promise.reject(new Error('died')) })
    await expect(dying.sweep()).rejects.toThrow('died')
    expect([(await pendingNotices()).length, (await hooks.deliveryLog(account, id)).deliveries]).toEqual([1, []])
    await otherNotices().sweep()
    await expect.poll(() => receiver.requestsTo('/halfway').length, soon).toBe(1)
  })

  test('handles the other events when one can’t be handled, which stays for the next time', async () => {
    const account = await mira.createUser({ can_upload: true })
    const ids: string[] = []
    for (const path of ['/held-up-1', '/stuck', '/held-up-2']) {
      const other = await mira.createUser({ can_upload: true })
      ids.push((await hooks.add(path === '/stuck' ? account : other, path)).id)
      await hooks.finishItem(path === '/stuck' ? account : other, { isPublished: false })
    }
    const { queue } = mira.context
    const enqueue = ((name, job, options) =>
      options?.userId === account.user.id
        ? Promise.reject(new Error('refused'))
        : queue.enqueue(name, job, options)) as Queue['enqueue']
    await expect(otherNotices({ enqueue }).sweep()).rejects.toThrow('refused')
    for (const path of ['/held-up-1', '/held-up-2'])
      await expect.poll(() => receiver.requestsTo(path).length, soon).toBe(1)
    expect([(await pendingNotices()).length, (await hooks.deliveryLog(account, ids[1]!)).deliveries]).toEqual([1, []])
    await otherNotices().sweep()
    await expect.poll(() => receiver.requestsTo('/stuck').length, soon).toBe(1)
  })

  test('leaves no notice for users without a subscribed webhook', async () => {
    const account = await mira.createUser({ can_upload: true })
    await hooks.add(account, '/other', { events: ['reminder.due'] })
    await hooks.finishItem(account, { isPublished: false })
    await hooks.finishItem(await mira.createUser(), { isPublished: false })
    expect(await pendingNotices()).toEqual([])
  })
})
