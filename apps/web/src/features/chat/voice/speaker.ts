import type { Transcript } from '@mira/shared'
import { splitForSpeech, toSpeakableText } from '@mira/shared/speakable'
import { call, callForResponse } from '../../../lib/api/client.ts'
import { createStore } from '../../../lib/loading/store.ts'

/** Transcribing ten minutes takes a while on a slow server. */
const TRANSCRIBE_TIMEOUT_MS = 15 * 60_000
const SPEAK_TIMEOUT_MS = 5 * 60_000

/** Transcribes a recording, which the server doesn't store. */
export async function transcribe(
  recording: Blob,
  { language, signal }: { language: string; signal?: AbortSignal },
): Promise<Transcript> {
  const form = new FormData()
  form.set('language', language)
  form.set('file', recording, 'speech')
  return call('POST /voice/transcribe', { form, signal, timeoutMs: TRANSCRIBE_TIMEOUT_MS })
}

/** Synthesises speech for a text of at most 4000 characters, as audio that the browser can play. */
async function speak(text: string, signal: AbortSignal): Promise<Blob> {
  const response = await callForResponse('POST /voice/speak', { json: { text }, signal, timeoutMs: SPEAK_TIMEOUT_MS })
  return response.blob()
}

/** Message being read aloud; one at a time per tab. */
interface Speaking {
  /** Id of the message. */
  id: string
  step: 'loading' | 'speaking'
}

/** Source of the voice: the server, or the browser. */
export type Voice = 'server' | 'browser'

/** Thrown when the browser can't read the text aloud: it has no voice, or can't play the sound. */
export class NoVoiceError extends Error {
  override name = 'NoVoiceError'
}

/** Message being read aloud, shared by the buttons of all messages. */
export const speakingStore = createStore<Speaking | null>(null)

/** Maximum length of a text sent to the server's voice; short enough that the first words come soon. */
const PIECE_CHARACTERS = 800
/** Maximum length of an utterance; browsers stop in the middle of longer ones. */
const UTTERANCE_CHARACTERS = 200
const VOICES_WAIT_MS = 2000

let currentController: AbortController | null = null

export function stopSpeaking(): void {
  currentController?.abort()
  currentController = null
  speakingStore.set(null)
}

/**
 * Reads a message aloud from its beginning; stops reading any other message.
 *
 * @throws ApiError, NoVoiceError, or the browser's error when it doesn't allow playback.
 */
export async function startSpeaking(id: string, markdown: string, voice: Voice, language: string): Promise<void> {
  stopSpeaking()
  const controller = new AbortController()
  currentController = controller
  const text = toSpeakableText(markdown)
  const setStep = (step: Speaking['step']) => {
    if (currentController === controller) speakingStore.set({ id, step })
  }
  setStep('loading')
  try {
    if (voice === 'server') await speakByServer(text, controller.signal, () => setStep('speaking'))
    else await speakByBrowser(text, language, controller.signal, () => setStep('speaking'))
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    if (currentController === controller) stopSpeaking()
  }
}

/** Reads a text aloud with the server's voice, piece by piece; the next piece is fetched while one is played. */
async function speakByServer(text: string, signal: AbortSignal, onBegin: () => void): Promise<void> {
  const pieces = splitForSpeech(text, PIECE_CHARACTERS)
  const fetchPiece = (index: number) => {
    const piece = pieces[index]
    const fetching = piece === undefined ? null : speak(piece, signal)
    // The loop below awaits it later and reports a failure; this only prevents an "unhandled rejection".
    fetching?.catch(() => undefined)
    return fetching
  }
  let next = fetchPiece(0)
  for (let index = 0; next !== null; index++) {
    const sound = await next
    next = fetchPiece(index + 1)
    await play(sound, signal, onBegin)
  }
}

async function play(sound: Blob, signal: AbortSignal, onBegin: () => void): Promise<void> {
  const url = URL.createObjectURL(sound)
  const audio = new Audio(url)
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => {
    audio.pause()
    reject(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  audio.addEventListener('ended', () => resolve())
  audio.addEventListener('error', () => reject(new NoVoiceError('The sound cannot be played')))
  try {
    signal.throwIfAborted()
    const playing = audio.play().then(onBegin)
    await Promise.all([playing, ended])
  } finally {
    signal.removeEventListener('abort', stop)
    URL.revokeObjectURL(url)
  }
}

async function speakByBrowser(text: string, language: string, signal: AbortSignal, onBegin: () => void): Promise<void> {
  const synthesis = window.speechSynthesis
  const voice = await findVoice(language)
  if (voice === null) throw new NoVoiceError('This browser has no voice')
  const stop = () => synthesis.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (const piece of splitForSpeech(text, UTTERANCE_CHARACTERS)) {
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const utterance = new SpeechSynthesisUtterance(piece)
        utterance.voice = voice
        utterance.lang = voice.lang
        utterance.onstart = onBegin
        utterance.onend = () => resolve()
        utterance.onerror = ({ error }) => reject(new NoVoiceError(error))
        synthesis.speak(utterance)
      })
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** A voice for the language, or else any voice; null without voices. Some browsers list their voices only after a while. */
async function findVoice(language: string): Promise<SpeechSynthesisVoice | null> {
  const synthesis = window.speechSynthesis as SpeechSynthesis | undefined
  if (synthesis === undefined) return null
  if (synthesis.getVoices().length === 0) {
    await new Promise<void>((resolve) => {
      synthesis.addEventListener('voiceschanged', () => resolve(), { once: true })
      setTimeout(resolve, VOICES_WAIT_MS)
    })
  }
  const voices = synthesis.getVoices()
  return voices.find(({ lang }) => lang.toLowerCase().startsWith(language)) ?? voices[0] ?? null
}
