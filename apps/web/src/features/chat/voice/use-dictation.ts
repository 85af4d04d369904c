import { useEffect, useRef, useState } from 'react'
import { useLanguage } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { useWhileShown } from '../../../ui/use-while-shown.ts'
import { hasRecogniser, type RecogniserTrouble, startListening } from './recogniser.ts'
import { MicrophoneError, type MicrophoneTrouble, startRecording } from './recorder.ts'
import { transcribe } from './speaker.ts'

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
  /** Called also after the component has gone, while the same user is signed in. */
  onText: (text: string) => void
  onTrouble: (trouble: DictationTrouble) => void
}

/** Maximum length of a recording; a little less than the server accepts. */
const MAX_RECORDING_MS = 595_000

const signedInId = () => {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}

interface Current {
  finish: () => Promise<string>
  /** Returns the recording; null when it can't be saved. */
  record: (() => Promise<Blob>) | null
  cancel: () => void
}

/** Dictation: recorded and transcribed by the server, or recognised by the browser. Leaving the screen finishes it. */
export function useDictation(options: Options) {
  const language = useLanguage()
  const [state, setState] = useState<DictationState>({ step: 'idle' })
  const current = useRef<Current | null>(null)
  const latest = useRef(options)
  latest.current = options
  const isShown = useWhileShown(true)
  const onTrouble = (trouble: DictationTrouble) => latest.current.onTrouble(trouble)
  const running = useRef<AbortController | null>(null)
  /** Id of the user who dictates. */
  const speakerId = useRef<string | null>(null)

  const end = () => {
    current.current = null
    running.current = null
    setState({ step: 'idle' })
  }

  const cancel = () => {
    current.current?.cancel()
    running.current?.abort()
    end()
  }

  const record = async (controller: AbortController) => {
    const recording = await startRecording(controller.signal)
    const timer = setTimeout(() => void finish(), MAX_RECORDING_MS)
    const stop = async () => {
      clearTimeout(timer)
      return recording.finish()
    }
    current.current = {
      finish: async () => (await transcribe(await stop(), { language, signal: controller.signal })).text,
      record: stop,
      cancel: () => {
        clearTimeout(timer)
        recording.cancel()
      },
    }
    setState({ step: 'listening', startedAt: performance.now(), level: recording.level, canKeep: true })
  }

  const listen = () => {
    const listening = startListening(language, (trouble) => {
      // browsers stop after a while of silence
      if (trouble === null) void finish()
      else {
        end()
        onTrouble(trouble)
      }
    })
    current.current = { ...listening, record: null }
    setState({ step: 'listening', startedAt: performance.now(), level: null, canKeep: false })
  }

  const start = async (engine: DictationEngine) => {
    if (current.current !== null || running.current !== null) return
    const controller = new AbortController()
    running.current = controller
    speakerId.current = signedInId()
    setState({ step: 'asking' })
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

  const finish = async () => {
    const [work, controller] = [current.current, running.current]
    if (work === null || controller === null) return
    current.current = null
    setState({ step: 'writing' })
    const userId = speakerId.current
    const isForgotten = () => controller.signal.aborted || signedInId() !== userId
    try {
      const text = await work.finish()
      if (isForgotten()) return
      end()
      if (text !== '') latest.current.onText(text)
      else if (isShown.current) onTrouble('nothing')
    } catch (error) {
      if (isForgotten()) return
      end()
      onTrouble({ error })
    }
  }

  /** Ends the dictation and returns its recording instead of transcribing it; null when there's none to save. */
  const take = async (): Promise<Blob | null> => {
    const work = current.current
    if (work?.record == null) return null
    current.current = null
    const blob = await work.record()
    end()
    return blob
  }

  const leave = useRef(cancel)
  leave.current = () => {
    const isSignedIn = signedInId() === speakerId.current
    if (current.current !== null && isSignedIn) void finish()
    else if (state.step !== 'writing' || !isSignedIn) cancel()
  }
  useEffect(() => () => leave.current(), [])

  return { state, start, finish, cancel, take }
}
