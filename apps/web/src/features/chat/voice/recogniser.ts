/** Parts of the browser's SpeechRecognition used here; not every browser has it, and TypeScript doesn't declare it. */
interface Recogniser {
  lang: string
  continuous: boolean
  interimResults: boolean
  start: () => void
  stop: () => void
  abort: () => void
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null
  onerror: ((event: { error: string }) => void) | null
  onend: (() => void) | null
}

/** Speech recognition by the browser, in progress. */
export interface Recognition {
  finish: () => Promise<string>
  cancel: () => void
}

/** Reason why the browser can't listen. */
export type RecogniserTrouble = 'denied' | 'recogniser'

function recogniserClass(): (new () => Recogniser) | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = window as unknown as Record<
    string,
    (new () => Recogniser) | undefined
  >
  return SpeechRecognition ?? webkitSpeechRecognition
}

/** True when the browser supports speech recognition. */
export function hasRecogniser(): boolean {
  return recogniserClass() !== undefined
}

/**
 * Starts the browser's speech recognition, which may send the audio to the browser's vendor.
 *
 * @param onEnd called when the browser ends the recognition, with the reason for a failure (or null) and the transcript.
 */
export function startListening(
  language: string,
  onEnd: (trouble: RecogniserTrouble | null, transcript: string) => void,
): Recognition {
  const Class = recogniserClass()
  if (Class === undefined) throw new Error('This browser has no recogniser')
  const recogniser = new Class()
  recogniser.lang = language
  recogniser.continuous = true
  recogniser.interimResults = false
  let transcript = ''
  let trouble: RecogniserTrouble | null = null
  let isOver = false
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  recogniser.onresult = ({ results }) => {
    transcript = Array.from(results, (result) => result[0]?.transcript.trim() ?? '').join(' ')
  }
  recogniser.onerror = ({ error }) => {
    if (error === 'no-speech' || error === 'aborted') return
    trouble = error === 'not-allowed' || error === 'service-not-allowed' ? 'denied' : 'recogniser'
  }
  recogniser.onend = () => {
    const isByBrowser = !isOver
    isOver = true
    resolve()
    if (isByBrowser) onEnd(trouble, transcript.trim())
  }
  recogniser.start()
  return {
    finish: async () => {
      if (!isOver) {
        isOver = true
        recogniser.stop()
      }
      await ended
      return transcript.trim()
    },
    cancel: () => {
      isOver = true
      recogniser.abort()
    },
  }
}
