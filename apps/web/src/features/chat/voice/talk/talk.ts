import { createStore, type Store } from '../../../../lib/loading/store.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { type Listening, type RecogniserTrouble, startListening } from '../recogniser.ts'
import { NoVoiceError, startSpeaking, stopSpeaking, type Voice } from '../speaker.ts'
import { spokenSince } from '../spoken-sentences.ts'
import type { DictationEngine } from '../use-dictation.ts'
import { startListener } from './listener.ts'

type TalkStep = 'preparing' | 'listening' | 'hearing' | 'thinking' | 'speaking'

export interface TalkState {
  step: TalkStep
  isMuted: boolean
  /** Set once no voice is there: answers are read on the screen then. */
  isVoiceless: boolean
}

/** A talk under way. */
export interface Talk {
  state: Store<TalkState>
  setMuted: (isMuted: boolean) => void
  /** Ends it: nothing listens and nothing speaks any more. */
  end: () => void
}

interface Options {
  conversation: Pick<Conversation, 'state' | 'send' | 'stop'>
  /** Speech recognition and voice to use. */
  listens: DictationEngine
  speaks: Voice
  language: string
  /** Has a recording written down. */
  transcribe: (samples: Float32Array, signal: AbortSignal) => Promise<string>
  /** Stands for a block of code. */
  codeWord: string
  /** Something went wrong; the talk goes on. */
  onTrouble: (error: unknown) => void
  /** The browser's recogniser failed: the caller ends the talk. */
  onRecogniserFailed: (trouble: RecogniserTrouble) => void
}

/** Id under which the answer's sentences are read aloud. */
const SPOKEN = 'talk'
/** Pause before listening again, for browsers that stop at once. */
const LISTEN_AGAIN_MS = 250

/**
 * Talks: hears when somebody speaks, sends what was said, and reads the answer aloud while it is written. Who speaks
 * into it is heard at once, and the answer ends.
 *
 * @throws MicrophoneError; what the browser says when its parts cannot be loaded.
 */
export async function startTalk(options: Options, signal: AbortSignal): Promise<Talk> {
  const { conversation, language } = options
  const state = createStore<TalkState>({ step: 'preparing', isMuted: false, isVoiceless: false })
  const set = (change: Partial<TalkState>) => state.set({ ...state.get(), ...change })
  const talk = new AbortController()
  /** Aborted when somebody speaks into it. */
  let turn = new AbortController()
  /** The answer that is read, and how far; null where none is. */
  let reading: { key: string | null; next: number; waiting: string; isSpeaking: boolean } | null = null
  /** The browser's recogniser while it runs. */
  let recogniser: Listening | null = null
  /** Set while the recogniser is ended to have its text. */
  let finishing: Promise<void> | null = null
  /** The recogniser's text that isn't sent yet: it stops after silences, and a speaker continues after a breath. */
  let pendingText = ''
  const hear = (said: string) => {
    pendingText = `${pendingText} ${said}`.trim()
  }
  /** Starts the browser's recogniser where it is used, unless it runs or the talk is muted or over. */
  const listen = () => {
    if (options.listens === 'server' || recogniser || finishing || talk.signal.aborted || state.get().isMuted) return
    // It would write down what is read aloud.
    if (state.get().step === 'speaking') return
    const mine = startListening(language, (trouble, said) => {
      if (recogniser !== mine) return
      recogniser = null
      hear(said)
      if (trouble === null) setTimeout(listen, LISTEN_AGAIN_MS)
      else options.onRecogniserFailed(trouble)
    })
    recogniser = mine
  }
  const finishListening = async () => {
    const mine = recogniser
    recogniser = null
    hear((await mine?.finish()) ?? '')
    finishing = null
    listen()
  }
  const stopListening = () => {
    recogniser?.cancel()
    recogniser = null
  }
  /** Drops the recogniser's text, unless it is being finished: that was said to be sent. */
  const dropPendingText = () => {
    if (finishing === null) pendingText = ''
    stopListening()
  }

  const isAnswering = () => conversation.state.get().activity !== 'idle'

  /** Recorded speech not sent yet: a speaker who continues after a breath means a single message. */
  let unsent: Float32Array[] = []

  const begin = () => {
    turn.abort()
    turn = new AbortController()
    reading = null
    stopSpeaking()
    if (isAnswering()) conversation.stop().catch(options.onTrouble)
    set({ step: 'hearing' })
    listen()
  }
  const listenOn = () => set({ step: 'listening' })
  /** Listens without what was heard until now. */
  const restartListening = () => {
    dropPendingText()
    listenOn()
    listen()
  }
  const forget = () => {
    unsent = []
    pendingText = ''
  }

  const transcribe = async (samples: Float32Array, mine: AbortSignal): Promise<string> => {
    if (options.listens === 'server') return options.transcribe(samples, mine)
    finishing ??= finishListening()
    await finishing
    return pendingText
  }
  /** The answer that was cut short has to end first: a conversation takes one message at a time. */
  const untilIdle = async (mine: AbortSignal) => {
    if (!isAnswering()) return
    const idle = Promise.withResolvers<void>()
    const leave = conversation.state.subscribe(() => !isAnswering() && idle.resolve())
    mine.addEventListener('abort', () => idle.resolve(), { once: true })
    await idle.promise.finally(leave)
  }
  const sendUnsent = async () => {
    const mine = turn.signal
    set({ step: 'thinking' })
    try {
      const transcript = (await transcribe(joined(unsent), mine)).trim()
      await untilIdle(mine)
      if (mine.aborted || talk.signal.aborted) return
      forget()
      if (transcript === '' || !conversation.send(transcript, { pictures: [], media: [] })) return listenOn()
      reading = { key: null, next: 0, waiting: '', isSpeaking: false }
    } catch (error) {
      if (mine.aborted || talk.signal.aborted) return
      forget()
      options.onTrouble(error)
      listenOn()
    }
  }

  /** Reads what is ready of the answer, then what has become ready meanwhile. */
  const speakOn = async (mine: NonNullable<typeof reading>) => {
    if (mine.isSpeaking) return
    mine.isSpeaking = true
    while (mine.waiting !== '' && mine === reading) {
      const sentences = mine.waiting
      mine.waiting = ''
      if (state.get().isVoiceless) continue
      set({ step: 'speaking' })
      dropPendingText()
      try {
        await startSpeaking(SPOKEN, sentences, options.speaks, language)
      } catch (error) {
        if (error instanceof NoVoiceError) set({ isVoiceless: true })
        options.onTrouble(error)
      }
    }
    mine.isSpeaking = false
    if (mine !== reading) return
    if (isAnswering()) set({ step: 'thinking' })
    else {
      reading = null
      restartListening()
    }
  }
  const follow = () => {
    const mine = reading
    if (mine === null) return
    const { items } = conversation.state.get()
    const answer = items.at(-1)
    const isOver = !isAnswering()
    if (answer?.role === 'assistant') {
      mine.key ??= answer.key
      // all of it so far was thoughts
      if (answer.content.length < mine.next) Object.assign(mine, { next: 0, waiting: '' })
      const { speech, next } = spokenSince(answer.content, mine.next, isOver, options.codeWord)
      mine.next = next
      if (speech !== '') mine.waiting = `${mine.waiting} ${speech}`.trim()
    }
    if (mine.waiting !== '' || isOver) void speakOn(mine)
  }

  const listener = await startListener(
    {
      onBegun: begin,
      onSpeech: (samples) => {
        unsent.push(samples)
        void sendUnsent()
      },
      onNothing: () => {
        // The recogniser may have made a word of the noise; in any other step its text belongs to a message.
        if (state.get().step === 'listening') restartListening()
      },
      onFailed: (reason) => options.onTrouble(new Error(reason)),
    },
    signal,
  )
  try {
    listen()
  } catch (error) {
    listener.close()
    throw error
  }
  const leave = conversation.state.subscribe(follow)
  listenOn()
  return {
    state,
    setMuted: (isMuted) => {
      listener.mute(isMuted)
      set({ isMuted })
      if (!isMuted) return listen()
      // The recogniser has its own microphone.
      dropPendingText()
    },
    end: () => {
      talk.abort()
      turn.abort()
      reading = null
      leave()
      listener.close()
      stopListening()
      stopSpeaking()
    },
  }
}

function joined(parts: Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
