import { loadOnce } from '../lib/load-once.ts'

/** Key pair that signs messages to push services (VAPID), base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/** A browser's push subscription, as the browser states it. */
interface PushTarget {
  endpoint: string
  p256dh: string
  auth: string
}

/**
 * Encrypts a message for one browser (RFC 8291, 8292).
 * @param options.topic at most 32 base64url characters; while the device is away, a message replaces an earlier one of its topic
 * @throws when the keys are invalid.
 */
type EncryptPush = (
  target: PushTarget,
  keys: PushKeys,
  message: string,
  options: { contact: string; lifetimeSeconds: number; isUrgent?: boolean; topic?: string },
) => Promise<{ headers: Record<string, string>; body: Uint8Array }>

const webPush = loadOnce(async () => (await import('web-push')).default)

export async function makePushKeys(): Promise<PushKeys> {
  return (await webPush()).generateVAPIDKeys()
}

/** Encrypts end to end, without sending anything. */
export const encryptPush: EncryptPush = async (
  target,
  keys,
  message,
  { contact, lifetimeSeconds, isUrgent, topic },
) => {
  const { endpoint, p256dh, auth } = target
  const { generateRequestDetails } = await webPush()
  const { headers, body } = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
    TTL: lifetimeSeconds,
    contentEncoding: 'aes128gcm',
    // phones in battery saver mode delay normal messages
    urgency: isUrgent ? 'high' : 'normal',
    ...(topic !== undefined && { topic }),
    vapidDetails: { subject: contact, ...keys },
  })
  // the sender sets the length itself
  const headerEntries = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length')
  return {
    headers: Object.fromEntries(headerEntries.map(([name, value]) => [name, String(value)])),
    body: body ?? Buffer.alloc(0),
  }
}
