import {
  asLanguage,
  type CreatePushSubscription,
  type Language,
  type PushSubscriptionsResponse,
  type UserEventJson,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Config } from '../../../config.ts'
import { NotFoundError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import { encryptPush, makePushKeys, type PushKeys } from '../../../platform/net/push-encryption.ts'
import type { WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { JobRun } from '../../../platform/queue/jobs.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { PushedNotification, PushStore } from './push.store.ts'

/** Push message for a device: about a notification, or an answer in a conversation. */
type PushJob = { subscription_id: string } & ({ notification_id: string } | { session_id: string })

/** A device as its row encrypts it. */
interface PushDevice {
  endpoint: string
  p256dh: string
  auth: string
  /** HTTP status with which its push service refused the last message. */
  refusedStatus?: number
}

/** Payload for the web app's service worker. */
interface PushPayload {
  title: string
  body: string
  /** A path of the web app. */
  link: string
  /** On the device, a message replaces an earlier one with the same tag. */
  tag: string
  /** Alert the user again when this message replaces an earlier one, as when an unread reminder recurs. */
  renotify: boolean
}

export type PushService = ReturnType<typeof createPushService>

/** Contact for push services when the instance has no public HTTPS URL. */
const PROJECT_CONTACT = 'mailto:push@localhost.localdomain'
/** Attempts to announce an answer, within some four minutes: later, it may have been read long ago. */
const MAX_ANSWER_ATTEMPTS = 7
const TIMEOUT_MS = 10_000
const MESSAGE_LIFETIME_SECONDS = 24 * 3600
/** Processing time below which no message is sent, as the user has probably waited for the upload. */
const QUICK_UPLOAD_MS = 60_000
const pushedKinds = new Set(['reminder_due', 'media_done', 'media_failed'])
const goneStatuses = new Set([404, 410])
const BODY_MAX_CHARACTERS = 300

/** Push messages to users' devices, shown even without an open page. */
export function createPushService({
  store,
  seal,
  fetcher,
  queue,
  settings,
  config,
  log,
}: {
  store: PushStore
  seal: Seal
  fetcher: WebFetcher
  queue: Queue
  settings: SettingsReader
  config: Pick<Config, 'publicUrl'>
  log: Log
}) {
  let cachedKeys: PushKeys | null = null
  const pending = new Set<Promise<void>>()
  const options = {
    contact: config.publicUrl?.startsWith('https://') ? config.publicUrl : PROJECT_CONTACT,
    lifetimeSeconds: MESSAGE_LIFETIME_SECONDS,
  }

  /** VAPID keys of the instance; created when there are none, replaced when they were encrypted with another secret. */
  const keys = async (): Promise<PushKeys> => {
    if (cachedKeys !== null) return cachedKeys
    for (const isLastTry of [false, true]) {
      const stored = await store.keys()
      const privateKey = stored && seal.decrypt(stored.sealedPrivateKey)
      if (stored !== null && privateKey !== null) {
        cachedKeys = { publicKey: stored.publicKey, privateKey }
        return cachedKeys
      }
      if (isLastTry) break
      const created = await makePushKeys()
      const sealed = { publicKey: created.publicKey, sealedPrivateKey: seal.encrypt(created.privateKey) }
      await store.storeKeys(sealed, stored !== null)
    }
    throw new Error('the keys of web push could not be stored')
  }

  /** Null when it was encrypted with another secret. */
  const unseal = (sealed: string): PushDevice | null => {
    const text = seal.decrypt(sealed)
    return text === null ? null : (JSON.parse(text) as PushDevice)
  }

  /** Stores the outcome of a message to a device, unless the device subscribed again meanwhile. */
  const storeOutcome = async (
    { id, sealed }: { id: string; sealed: string },
    { refusedStatus: previous, ...device }: PushDevice,
    refusedStatus: number | undefined,
  ): Promise<void> => {
    if (refusedStatus === previous) return
    await store.replaceSealed(id, sealed, seal.encrypt(JSON.stringify({ ...device, refusedStatus })))
  }

  /** True for a notification about an upload that was processed quickly. */
  const isQuickUpload = async (userId: string, notificationId: string) => {
    const addedAt = await store.itemAddedAt(userId, notificationId)
    return addedAt !== null && Date.now() - addedAt.getTime() < QUICK_UPLOAD_MS
  }

  const enqueue = (userId: string, subject: { notification_id: string } | { session_id: string }): void => {
    const enqueueing = store
      .idsOf(userId)
      .then(async (ids) => {
        // Checked now: by the time the job runs, another upload may have been merged into the notification.
        if (ids.length > 0 && 'notification_id' in subject && (await isQuickUpload(userId, subject.notification_id)))
          return
        await tryEach(ids, (id) => queue.enqueue('send-push', { subscription_id: id, ...subject }, { userId }))
      })
      .catch((error: unknown) => log.warn({ err: error }, 'push messages could not be enqueued'))
      .finally(() => pending.delete(enqueueing))
    pending.add(enqueueing)
  }

  const messageOf = async (
    job: PushJob,
    userId: string,
    language: Language,
  ): Promise<{ payload: PushPayload; isUrgent: boolean } | null> => {
    const text = textsIn('push', language)
    if ('session_id' in job) {
      const conversation = await store.conversation(userId, job.session_id)
      if (conversation === null) return null
      const link = `/chat?session=${job.session_id}`
      const title = text('answered', { assistant: settings.current().assistant_name })
      return { payload: { title, body: conversation.name, link, tag: link, renotify: false }, isUrgent: false }
    }
    const notification = await store.notification(userId, job.notification_id)
    if (notification === null || !pushedKinds.has(notification.kind)) return null
    const isUrgent = notification.kind === 'reminder_due'
    const link = notification.link ?? '/dashboard'
    const payload = { ...textsOf(notification, text), link, tag: job.notification_id, renotify: isUrgent }
    return { payload, isUrgent }
  }

  return {
    /** VAPID public key for subscriptions. */
    publicKey: async (): Promise<string> => (await keys()).publicKey,

    /** Registers a device. @throws ValidationError for a private address or invalid keys. */
    async subscribe(
      userId: string,
      { endpoint, keys: deviceKeys }: CreatePushSubscription,
      authSessionId: string | null,
    ): Promise<{ id: string }> {
      if (fetcher.check(endpoint) !== null) {
        throw new ValidationError('This isn’t the address of a push service on the public internet.', {
          code: 'push_address',
        })
      }
      const subscription: PushDevice = { endpoint, ...deviceKeys }
      try {
        await encryptPush(subscription, await keys(), 'x', options)
      } catch (error) {
        throw new ValidationError('These aren’t the keys of a push subscription.', { code: 'push_keys', cause: error })
      }
      const sealed = seal.encrypt(JSON.stringify(subscription))
      return { id: await store.add({ userId, authSessionId, fingerprint: seal.fingerprint(endpoint), sealed }) }
    },

    /** The user's devices. */
    async list(userId: string): Promise<PushSubscriptionsResponse> {
      const rows = await store.list(userId)
      const subscriptions = rows.flatMap(({ id, sealed }) => {
        const device = unseal(sealed)
        return device === null ? [] : [{ id, refused_status: device.refusedStatus ?? null }]
      })
      return { subscriptions }
    },

    /** @throws NotFoundError when the device isn't the user's. */
    async unsubscribe(userId: string, endpoint: string): Promise<void> {
      if (!(await store.removeByFingerprint(userId, seal.fingerprint(endpoint)))) {
        throw new NotFoundError('This device doesn’t get notifications.')
      }
    },

    /** Enqueues push messages for the page events that also matter without an open page. Never throws. */
    onUserEvent(userId: string, event: UserEventJson): void {
      if (event.type === 'notification' && pushedKinds.has(event.notification.kind)) {
        enqueue(userId, { notification_id: event.notification.id })
      }
    },

    /** Enqueues messages about a finished, stored answer. Never throws. */
    onAnswered: (userId: string, { sessionId }: { sessionId: string }): void =>
      enqueue(userId, { session_id: sessionId }),

    /** Sends one message. @throws Error when a retry may succeed. */
    async handleJob(job: PushJob, { attempt, signal }: Pick<JobRun, 'attempt' | 'signal'>): Promise<void> {
      const row = await store.find(job.subscription_id)
      if (row === null || !row.user.isActive) return
      if ('session_id' in job && attempt > MAX_ANSWER_ATTEMPTS) return
      const { id, userId, user } = row
      const device = unseal(row.sealed)
      if (device === null) return store.remove(id)
      const language = asLanguage(user.chosenLanguage ?? user.language) ?? 'en'
      const message = await messageOf(job, userId, language)
      if (message === null) return
      const { payload, isUrgent } = message
      const { headers, body } = await encryptPush(device, await keys(), JSON.stringify(payload), {
        ...options,
        isUrgent,
        topic: ('session_id' in job ? job.session_id : job.notification_id).replaceAll('-', ''),
      })
      const response = await fetcher.post(device.endpoint, {
        headers,
        body,
        timeoutMs: TIMEOUT_MS,
        signal,
        caller: userId,
      })
      if (response.isOk) return storeOutcome(row, device, undefined)
      const { status, problem } = response
      if (status !== undefined && goneStatuses.has(status)) {
        log.info({ status }, 'a push subscription has expired and was removed')
        return store.remove(id)
      }
      const isRefused = status !== undefined && status < 500 && status !== 429
      if (isRefused || problem === 'private' || problem === 'address') {
        log.warn({ problem, status }, 'a push service refused a message')
        if (status !== undefined) await storeOutcome(row, device, status)
        return
      }
      throw new Error(`a push service could not be reached: ${problem}`)
    },

    /** Waits until all messages are enqueued. */
    async settle(): Promise<void> {
      await Promise.all(pending)
    },
  }
}

function textsOf(
  { kind, params }: PushedNotification,
  text: ReturnType<typeof textsIn<'push'>>,
): Pick<PushPayload, 'title' | 'body'> {
  const cut = (value: string | number | undefined) => cutText(String(value ?? ''), BODY_MAX_CHARACTERS)
  if (kind === 'reminder_due') return { title: text('reminder'), body: cut(params.text) }
  const count = Number(params.count ?? 1)
  const title = text(kind === 'media_done' ? 'ready' : 'failed', { count })
  return { title, body: cut(params.title) }
}
