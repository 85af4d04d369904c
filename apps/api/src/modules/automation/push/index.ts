import { VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { encryptPush, makePushKeys } from '../../../platform/net/push-encryption.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import { createPushService, type PushService } from './push.service.ts'
import { createPushStore } from './push.store.ts'

/** Contact for push services when the instance has no address. */
const PROJECT_CONTACT = 'mailto:push@localhost.localdomain'

/** Builds what tells people on their devices while no page is open. */
export function buildPush(
  tools: Pick<Context, 'log' | 'config' | 'database' | 'queue' | 'jwtSecret'> & { assistantName(): string },
): { push: PushService; close(): Promise<void> } {
  const { log, config, database, queue, jwtSecret, assistantName } = tools
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const push = createPushService({
    store: createPushStore(database),
    seal: createSeal({ secret: jwtSecret, purpose: 'web push' }),
    makeKeys: makePushKeys,
    encrypt: encryptPush,
    fetcher,
    contact: () => (config.publicUrl?.startsWith('https://') ? config.publicUrl : PROJECT_CONTACT),
    assistantName,
    enqueue: (job, userId) => queue.enqueue('send-push', job, { userId }),
    now: () => new Date(),
    log,
  })
  return { push, close: () => fetcher.close() }
}
