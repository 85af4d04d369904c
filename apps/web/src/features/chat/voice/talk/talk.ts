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
  /** True once no voice was found: answers are then shown without being read aloud. */
  isVoiceless: boolean
}

/** A talk under way. */
export interface Talk {
  state: Store<TalkState>
  setMuted: (isMuted: boolean) => void
  /** Ends listening and speaking. */
  end: () => void
}

interface Options {
  conversation: Pick<Conversation, 'state' | 'send' | 'stop'>
  /** Source of the speech recognition. */
  engine: DictationEngine
  /** Source of the voice that reads answers aloud. */
  voice: Voice
  language: string
  /** Transcribes recorded speech. */
  transcribe: (samples: Float32Array, signal: AbortSignal) => Promise<string>
  /** Spoken in place of a block of code. */
  codeWord: string
  /** Something went wrong; the talk goes on. */
  onTrouble: (error: unknown) => void
  /** The browser's recogniser failed: the caller ends the talk. */
  onRecogniserFailed: (trouble: RecogniserTrouble) => void
}

/** Id under which the answer's sentences are read aloud. */
const SPOKEN = 'talk'
/** Pause before listening again, for browsers that stop immediately. */
const LISTEN_AGAIN_MS = 250

/**
 * Starts a talk: detects speech, sends its transcript, and reads the answer aloud while it's generated. Speaking interrupts
 * the answer.
 *
 * @throws MicrophoneError, or the browser's error when its parts can't be loaded.
 */
export async function startTalk(options: Options, signal: AbortSignal): Promise<Talk> {
  const { conversation, language } = options
  const state = createStore<TalkState>({ step: 'preparing', isMuted: false, isVoiceless: false })
  const set = (change: Partial<TalkState>) => state.set({ ...state.get(), ...change })
  const talk = new AbortController()
  /** Covers one utterance and its answer; aborted when the user speaks again. */
  let turn = new AbortController()
  /** The answer being read aloud, with its progress; null when there's none. */
  let reading: { key: string | null; next: number; waiting: string; isSpeaking: boolean } | null = null
  /** The browser's recogniser while it runs. */
  let recogniser: Listening | null = null
  /** Set while the recogniser is stopped to get its text. */
  let finishing: Promise<void> | null = null
  /** The recogniser's text that isn't sent yet: it stops after silences, and a speaker continues after a breath. */
  let pendingText = ''
  const addText = (text: string) => {
    pendingText = `${pendingText} ${text}`.trim()
  }
  /** Starts the browser's recogniser where it is used, unless it runs or the talk is muted or over. */
  const listen = () => {
    if (options.engine === 'server' || recogniser || finishing || talk.signal.aborted || state.get().isMuted) return
    // It would transcribe the answer that's read aloud.
    if (state.get().step === 'speaking') return
    const mine = startListening(language, (trouble, transcript) => {
      if (recogniser !== mine) return
      recogniser = null
      addText(transcript)
      if (trouble === null) setTimeout(listen, LISTEN_AGAIN_MS)
      else options.onRecogniserFailed(trouble)
    })
    recogniser = mine
  }
  const finishListening = async () => {
    const mine = recogniser
    recogniser = null
    addText((await mine?.finish()) ?? '')
    finishing = null
    listen()
  }
  const stopListening = () => {
    recogniser?.cancel()
    recogniser = null
  }
  /** Drops the recogniser's text, unless it's being stopped: that text will be sent. */
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
  /** Listens again and drops the text recognised until now. */
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
    if (options.engine === 'server') return options.transcribe(samples, mine)
    finishing ??= finishListening()
    await finishing
    return pendingText
  }
  /** Waits for an interrupted answer to end: a conversation takes one message at a time. */
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
      const transcript = (await transcribe(concatenate(unsent), mine)).trim()
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

  /** Reads the answer's ready sentences aloud, then those that have become ready meanwhile. */
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
        await startSpeaking(SPOKEN, sentences, options.voice, language)
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
  const speakNewText = () => {
    const mine = reading
    if (mine === null) return
    const { items } = conversation.state.get()
    const answer = items.at(-1)
    const isOver = !isAnswering()
    if (answer?.role === 'assistant') {
      mine.key ??= answer.key
      // The answer was restarted, because its text so far was reasoning.
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
  const leave = conversation.state.subscribe(speakNewText)
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

function concatenate(parts: Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
