import type { Transcript } from '@mira/shared'
import { call, callForResponse } from '../../../lib/api/client.ts'

/** Writing down ten minutes takes its time on a slow server. */
const TRANSCRIBE_TIMEOUT_MS = 15 * 60_000
const SPEAK_TIMEOUT_MS = 5 * 60_000

/** Has a recording written down; it is not kept. */
export async function transcribe(
  recording: Blob,
  { language, signal }: { language: string; signal: AbortSignal },
): Promise<Transcript> {
  const form = new FormData()
  form.set('language', language)
  form.set('file', recording, 'speech')
  return call('POST /voice/transcribe', { form, signal, timeoutMs: TRANSCRIBE_TIMEOUT_MS })
}

/** Has a text of at most 4000 characters read aloud; sound that the browser can play. */
export async function speak(text: string, signal: AbortSignal): Promise<Blob> {
  const response = await callForResponse('POST /voice/speak', { json: { text }, signal, timeoutMs: SPEAK_TIMEOUT_MS })
  return response.blob()
}
