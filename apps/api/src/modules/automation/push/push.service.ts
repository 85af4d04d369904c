import type { CreatePushSubscription, Language, UserEventJson } from '@mira/shared'
import { asLanguage } from '@mira/shared'
import { NotFoundError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import type { EncryptPush, PushKeys } from '../../../platform/net/push-encryption.ts'
import type { WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { PushStore, ToldThing } from './push.store.ts'

/** Push message for a device: about a notification, or an answer in a conversation. */
export type PushJob = { subscription_id: string } & ({ notification_id: string } | { session_id: string })

export interface PushDeps {
  store: PushStore
  seal: Seal
  makeKeys(): Promise<PushKeys>
  encrypt: EncryptPush
  fetcher: Pick<WebFetcher, 'post' | 'judge'>
  /** Whom those who deliver may write to. */
  contact(): string
  assistantName(): string
  enqueue(job: PushJob, userId: string): Promise<void>
  now(): Date
  log: Log
}

/** Payload for the web app's service worker. */
interface PushMessage {
  title: string
  body: string
  /** A path of the web app. */
  link: string
  /** One with the same stands in its place. */
  tag: string
}

export type PushService = ReturnType<typeof createPushService>

const TIMEOUT_MS = 10_000
const LIFETIME_SECONDS = 24 * 3600
/** Processing time below which the user is assumed to have watched, so there's no push. */
const LONG_MS = 60_000
const pushedKinds = new Set(['reminder_due', 'media_done', 'media_failed'])
const goneStatuses = new Set([404, 410])
const BODY_MAX_CHARACTERS = 300

/** Tells people on their devices, also while no page of the web app is open there. */
export function createPushService({ store, seal, fetcher, log, ...deps }: PushDeps) {
  let known: PushKeys | null = null
  const going = new Set<Promise<void>>()

  /** The keys of the instance; made when there are none, and made anew when they were sealed with another secret. */
  const keys = async (): Promise<PushKeys> => {
    if (known !== null) return known
    for (const isLast of [false, true]) {
      const kept = await store.keys()
      const privateKey = kept && seal.open(kept.sealedPrivateKey)
      if (kept !== null && privateKey !== null) {
        known = { publicKey: kept.publicKey, privateKey }
        return known
      }
      if (isLast) break
      const made = await deps.makeKeys()
      const sealed = { publicKey: made.publicKey, sealedPrivateKey: seal.close(made.privateKey) }
      await store.keepKeys(sealed, kept !== null)
    }
    throw new Error('the keys of web push could not be kept')
  }

  const tell = (userId: string, thing: { notification_id: string } | { session_id: string }): void => {
    const telling = store
      .idsOf(userId)
      .then(async (ids) => {
        for (const id of ids) await deps.enqueue({ subscription_id: id, ...thing }, userId)
      })
      .catch((error: unknown) => log.warn({ err: error }, 'devices could not be told'))
      .finally(() => going.delete(telling))
    going.add(telling)
  }

  const messageOf = async (job: PushJob, userId: string, language: Language): Promise<PushMessage | null> => {
    const text = textsIn('push', language)
    if ('session_id' in job) {
      const conversation = await store.conversation(userId, job.session_id)
      if (conversation === null) return null
      const link = `/chat?session=${job.session_id}`
      return { title: text('answered', { assistant: deps.assistantName() }), body: conversation.name, link, tag: link }
    }
    const thing = await store.notification(userId, job.notification_id)
    if (thing === null || !pushedKinds.has(thing.kind)) return null
    if (thing.kind !== 'reminder_due') {
      const addedAt = await store.itemAddedAt(userId, job.notification_id)
      if (addedAt !== null && deps.now().getTime() - addedAt.getTime() < LONG_MS) return null
    }
    return { ...wordsOf(thing, text), link: thing.link ?? '/dashboard', tag: job.notification_id }
  }

  return {
    /** VAPID public key for subscriptions. */
    publicKey: async (): Promise<string> => (await keys()).publicKey,

    /** Has a device told. @throws ValidationError when its address leads inward, or its keys are none. */
    async subscribe(
      userId: string,
      { endpoint, keys: given }: CreatePushSubscription,
      authSessionId: string | null,
    ): Promise<{ id: string }> {
      if (fetcher.judge(endpoint) !== null) {
        throw new ValidationError('This is no address of a push service on the public internet.', {
          code: 'push_address',
        })
      }
      const subscription = { endpoint, ...given }
      try {
        const options = { contact: deps.contact(), lifetimeSeconds: LIFETIME_SECONDS }
        await deps.encrypt(subscription, await keys(), 'x', options)
      } catch (error) {
        throw new ValidationError('These are no keys of a push subscription.', { code: 'push_keys', cause: error })
      }
      const sealed = seal.close(JSON.stringify(subscription))
      return { id: await store.add({ userId, authSessionId, fingerprint: seal.fingerprint(endpoint), sealed }) }
    },

    /** Has a device told no more. @throws NotFoundError when it is not the person's. */
    async unsubscribe(userId: string, endpoint: string): Promise<void> {
      if (!(await store.removeOf(userId, seal.fingerprint(endpoint)))) {
        throw new NotFoundError('This device is not told of anything.')
      }
    },

    /** Looks at what a person's pages are told, and has devices told what matters while nobody looks. Never throws. */
    heed(userId: string, event: UserEventJson): void {
      if (event.type === 'notification' && pushedKinds.has(event.notification.kind)) {
        tell(userId, { notification_id: event.notification.id })
      }
    },

    /** An answer came to its end and is stored. Never throws. */
    answered: (userId: string, { sessionId }: { sessionId: string }): void => tell(userId, { session_id: sessionId }),

    /** Tells one device. @throws when another try may reach it. */
    async handleJob(job: PushJob, signal: AbortSignal): Promise<void> {
      const found = await store.find(job.subscription_id)
      if (found === null || !found.user.isActive) return
      const { id, userId, user } = found
      const sealed = seal.open(found.sealed)
      if (sealed === null) return store.remove(id)
      const language = asLanguage(user.chosenLanguage ?? user.language) ?? 'en'
      const message = await messageOf(job, userId, language)
      if (message === null) return
      const subscription = JSON.parse(sealed) as { endpoint: string; p256dh: string; auth: string }
      const { headers, body } = await deps.encrypt(subscription, await keys(), JSON.stringify(message), {
        contact: deps.contact(),
        lifetimeSeconds: LIFETIME_SECONDS,
      })
      const sent = await fetcher.post(subscription.endpoint, {
        ...{ headers, body, timeoutMs: TIMEOUT_MS, signal },
        caller: userId,
      })
      if (sent.isOk) return
      if (sent.status !== undefined && goneStatuses.has(sent.status)) {
        log.info({ status: sent.status }, 'a device is not there any more, and is told nothing from now on')
        return store.remove(id)
      }
      const isRefused = sent.status !== undefined && sent.status < 500 && sent.status !== 429
      if (isRefused || sent.problem === 'private' || sent.problem === 'address') {
        log.warn({ problem: sent.problem, status: sent.status }, 'a push service refused a message')
        return
      }
      throw new Error(`a push service could not be reached: ${sent.problem}`)
    },

    /** Waits until everybody who is to be told has a job for it. */
    async settle(): Promise<void> {
      await Promise.all(going)
    },
  }
}

function wordsOf(
  { kind, params }: ToldThing,
  text: ReturnType<typeof textsIn<'push'>>,
): Pick<PushMessage, 'title' | 'body'> {
  const cut = (value: string | number | undefined) => [...String(value ?? '')].slice(0, BODY_MAX_CHARACTERS).join('')
  if (kind === 'reminder_due') return { title: text('reminder'), body: cut(params.text) }
  const count = Number(params.count ?? 1)
  const title = text(kind === 'media_done' ? 'ready' : 'failed', { count })
  return { title, body: cut(params.title) }
}
