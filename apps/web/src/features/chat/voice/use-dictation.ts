import { useEffect, useRef, useState } from 'react'
import { useLanguage } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { useWhileShown } from '../../../ui/use-while-shown.ts'
import { hasRecogniser, type RecogniserTrouble, startListening } from './recogniser.ts'
import { MicrophoneError, type MicrophoneTrouble, startRecording } from './recorder.ts'
import { transcribe } from './speaker.ts'

export type DictationState =
  | { step: 'idle' }
  /** The browser asks whether the microphone may be used. */
  | { step: 'asking' }
  /** `level` is null where the browser listens itself and does not tell. */
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

/** As long as the server takes, with a little to spare. */
const LONGEST_MS = 595_000

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

/** Dictates: records and has it written down by the server, or has the browser listen. Leaving the screen finishes it. */
export function useDictation(options: Options) {
  const language = useLanguage()
  const [state, setState] = useState<DictationState>({ step: 'idle' })
  const current = useRef<Current | null>(null)
  const latest = useRef(options)
  latest.current = options
  const isShown = useWhileShown(true)
  const onTrouble = (trouble: DictationTrouble) => latest.current.onTrouble(trouble)
  const stopping = useRef<AbortController | null>(null)
  /** Id of the user who dictates. */
  const speakerId = useRef<string | null>(null)

  const end = () => {
    current.current = null
    stopping.current = null
    setState({ step: 'idle' })
  }

  const cancel = () => {
    current.current?.cancel()
    stopping.current?.abort()
    end()
  }

  const record = async (mine: AbortController) => {
    const recording = await startRecording(mine.signal)
    const timer = setTimeout(() => void finish(), LONGEST_MS)
    const stop = async () => {
      clearTimeout(timer)
      return recording.finish()
    }
    current.current = {
      finish: async () => (await transcribe(await stop(), { language, signal: mine.signal })).text,
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
      // it stops by itself after a while without a word
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
    if (current.current !== null || stopping.current !== null) return
    const mine = new AbortController()
    stopping.current = mine
    speakerId.current = signedInId()
    setState({ step: 'asking' })
    try {
      if (engine === 'server') await record(mine)
      else if (hasRecogniser()) listen()
      else throw new MicrophoneError('unsupported')
    } catch (error) {
      if (mine.signal.aborted) return
      end()
      onTrouble(error instanceof MicrophoneError ? error.trouble : { error })
    }
  }

  const finish = async () => {
    const [work, mine] = [current.current, stopping.current]
    if (work === null || mine === null) return
    current.current = null
    setState({ step: 'writing' })
    const userId = speakerId.current
    const isForgotten = () => mine.signal.aborted || signedInId() !== userId
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

  /** Ends it and hands the recording over instead of having it written down. */
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
