import type {
  CodedSentence,
  CreatedHookJson,
  HookDeliveriesResponseJson,
  HookJson,
  HooksResponseJson,
} from '@mira/shared'
import { insertMediaItem } from './factories.ts'
import type { TestAccount, TestApp } from './test-app.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

export type WebhookCalls = ReturnType<typeof webhookCallsOf>

/** Requests about webhooks that deliver to the receiver, and events for them. */
export function webhookCallsOf(mira: TestApp, receiver: WebhookReceiver) {
  function call({ token }: Pick<TestAccount, 'token'>, method: 'get' | 'post' | 'delete', path: string, body?: object) {
    const request = mira.request[method](`/api/me/hooks${path}`).auth(token, { type: 'bearer' })
    return body === undefined ? request : request.send(body)
  }

  async function add(account: TestAccount, path: string, fields: object = {}): Promise<CreatedHookJson> {
    return (await call(account, 'post', '', { url: `${receiver.url}${path}`, ...fields }).expect(201)).body
  }

  async function deliveryLog(account: TestAccount, id: string, query = ''): Promise<HookDeliveriesResponseJson> {
    return (await call(account, 'get', `/${id}/deliveries${query}`).expect(200)).body
  }

  async function listHooks(account: TestAccount): Promise<HookJson[]> {
    return ((await call(account, 'get', '').expect(200)).body as HooksResponseJson).hooks
  }

  /** Finishes the processing of a new item and publishes its event, unless the server dies before that. */
  async function finishItem(
    { user }: Pick<TestAccount, 'user'>,
    {
      error = null,
      errorSentences = [],
      isPublished = true,
    }: { error?: string | null; errorSentences?: CodedSentence[]; isPublished?: boolean } = {},
  ) {
    const { database, events } = mira.context
    const { id } = await insertMediaItem(database, user.id, { processingStatus: 'processing' })
    const processingStatus = error === null ? 'completed' : 'failed'
    const item = await database.prisma.mediaItem.update({
      where: { id },
      data: { processingStatus, error, errorSentences },
    })
    if (isPublished)
      events.publish(user.id, error === null ? { type: 'media.done', id } : { type: 'media.failed', id, error })
    return item
  }

  return { call, add, deliveryLog, listHooks, finishItem }
}
