import { useEffect, useRef, useState } from 'react'
import { useClosePrompt } from '../../../lib/browser/close-prompt.ts'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { useLanguage } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { useCurrentIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { hasRecogniser, type RecogniserTrouble, startListening } from './recogniser.ts'
import { MicrophoneError, type MicrophoneTrouble, startRecording } from './recorder.ts'
import { transcribe } from './speaker.ts'
import { type UnsentRecording, useUnsentRecordings } from './unsent-recordings.ts'

export type DictationState =
  | { step: 'idle' }
  /** The browser asks for permission to use the microphone. */
  | { step: 'asking' }
  /** `level` is null for the browser's recognition, which doesn't report it. */
  | { step: 'listening'; startedAt: number; level: (() => number) | null; canKeep: boolean }
  | { step: 'writing' }

/** Reason for failed dictation, explained to the user. */
export type DictationTrouble = MicrophoneTrouble | RecogniserTrouble | 'nothing' | 'noEngine' | { error: unknown }

/** Speech recognition by the server or the browser. */
export type DictationEngine = 'server' | 'browser'

interface Options {
  /** Also called after the component was unmounted, while the same user is signed in. */
  onText: (text: string) => void
  onTrouble: (trouble: DictationTrouble) => void
}

/** Maximum length of a recording; a little less than the server accepts. */
const MAX_RECORDING_MS = 595_000

/** Id of the signed-in user; null when signed out. */
export const signedInUserId = (): string | null => {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}

interface ActiveDictation {
  finish: () => Promise<string>
  /** Ends the recording and returns it; null when it can't be saved. */
  record: (() => Promise<UnsentRecording>) | null
  cancel: () => void
}

/** Dictation, transcribed by the server or recognised by the browser. Leaving the screen finishes it. */
export function useDictation(options: Options) {
  const language = useLanguage()
  const [state, setState] = useState<DictationState>({ step: 'idle' })
  const step = useRef<DictationState['step']>('idle')
  const show = (next: DictationState) => {
    step.current = next.step
    setState(next)
  }
  const active = useRef<ActiveDictation | null>(null)
  const latest = useRef(options)
  latest.current = options
  const isShown = useCurrentIfMounted(true)
  const onTrouble = (trouble: DictationTrouble) => latest.current.onTrouble(trouble)
  const { send } = useUnsentRecordings()
  const activeController = useRef<AbortController | null>(null)
  /** Id of the user who dictates. */
  const speakerId = useRef<string | null>(null)

  const end = () => {
    active.current = null
    activeController.current = null
    show({ step: 'idle' })
  }

  const cancel = () => {
    active.current?.cancel()
    activeController.current?.abort()
    end()
  }

  const record = async (controller: AbortController) => {
    const recording = await startRecording(controller.signal)
    const timer = setTimeout(() => void finish(), MAX_RECORDING_MS)
    const stop = async (): Promise<UnsentRecording> => {
      clearTimeout(timer)
      return { id: randomUuid(), recordedAt: new Date(), audio: await recording.finish() }
    }
    const { signal } = controller
    active.current = {
      finish: async () =>
        (await send(await stop(), 'transcribe', (audio) => transcribe(audio, { language, signal }), signal)).text,
      record: stop,
      cancel: () => {
        clearTimeout(timer)
        recording.cancel()
      },
    }
    show({ step: 'listening', startedAt: performance.now(), level: recording.level, canKeep: true })
  }

  const listen = () => {
    const listening = startListening(language, (trouble) => {
      // Browsers stop after some silence.
      if (trouble === null) void finish()
      else {
        end()
        onTrouble(trouble)
      }
    })
    active.current = { ...listening, record: null }
    show({ step: 'listening', startedAt: performance.now(), level: null, canKeep: false })
  }

  const start = async (engine: DictationEngine) => {
    if (active.current !== null || activeController.current !== null) return
    const controller = new AbortController()
    activeController.current = controller
    speakerId.current = signedInUserId()
    show({ step: 'asking' })
    try {
      if (engine === 'server') await record(controller)
      else if (hasRecogniser()) listen()
      else throw new MicrophoneError('unsupported')
    } catch (error) {
      if (controller.signal.aborted) return
      end()
      onTrouble(error instanceof MicrophoneError ? error.trouble : { error })
    }
  }

  /** Ends the dictation and hands over its text; cancels it while the browser still asks for the microphone. */
  const finish = async () => {
    if (step.current === 'asking') return cancel()
    const [work, controller] = [active.current, activeController.current]
    if (work === null || controller === null) return
    active.current = null
    show({ step: 'writing' })
    const userId = speakerId.current
    const isAbandoned = () => controller.signal.aborted || signedInUserId() !== userId
    try {
      const text = await work.finish()
      if (isAbandoned()) return
      end()
      if (text !== '') latest.current.onText(text)
      else if (isShown.current) onTrouble('nothing')
    } catch (error) {
      if (isAbandoned()) return
      end()
      onTrouble({ error })
    }
  }

  /** Ends the dictation and returns its recording instead of transcribing it; null when there's none to save. */
  const takeRecording = async (): Promise<UnsentRecording | null> => {
    const work = active.current
    if (work?.record == null) return null
    active.current = null
    const recording = await work.record()
    end()
    return recording
  }

  const leaveRef = useRef(cancel)
  leaveRef.current = () => {
    const isSignedIn = signedInUserId() === speakerId.current
    if (active.current !== null && isSignedIn) void finish()
    else if (step.current !== 'writing' || !isSignedIn) cancel()
  }
  useEffect(() => () => leaveRef.current(), [])
  useClosePrompt(state.step === 'listening')

  return { state, start, finish, cancel, takeRecording }
}
