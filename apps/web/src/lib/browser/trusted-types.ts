import hashWorker from './file-hash-worker.ts?worker&url'
import voiceActivityWorker from './voice-activity-worker.ts?worker&url'

/** A part of the standard that TypeScript does not describe yet. */
interface TrustedTypes {
  createPolicy(
    name: 'default',
    rules: { createHTML: (text: string) => string | null; createScriptURL: (address: string) => string | null },
  ): unknown
}

/** `public/worker.js`. */
export const SERVICE_WORKER = '/worker.js'

/** Worker that hashes files before they're sent. */
export const FILE_HASH_WORKER = hashWorker

/** Worker that separates speech from other sounds. */
export const VOICE_ACTIVITY_WORKER = voiceActivityWorker

const ownWorkers = new Set([SERVICE_WORKER, FILE_HASH_WORKER, VOICE_ACTIVITY_WORKER])

/** Character references, decoded by the browser for the Markdown parser. */
const NAMED_CHARACTER = /^&[a-z\d]{1,31};$/i

/**
 * Creates the page's only Trusted Types policy: no text becomes markup except a named character reference, no text becomes
 * code, and three workers are the only scripts loaded by address. The address of any other worker has to be added here.
 */
export function setTrustedTypes(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => (NAMED_CHARACTER.test(text) ? text : null),
    createScriptURL: (address) => (ownWorkers.has(address) ? address : null),
  })
}
