import { createStore, type Store } from '../../../../lib/loading/store.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { type RecogniserTrouble, type Recognition, startListening } from '../recogniser.ts'
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

/** A talk in progress. */
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
const SPEECH_ID = 'talk'
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
  const talkController = new AbortController()
  /** Covers one utterance and its answer; aborted when the user speaks again. */
  let turnController = new AbortController()
  /** The answer being read aloud, with its progress; null when there's none. */
  let reading: { key: string | null; nextOffset: number; pendingSpeech: string; isSpeaking: boolean } | null = null
  /** The browser's recogniser while it runs. */
  let recogniser: Recognition | null = null
  /** Set while the recogniser is stopped to get its text. */
  let finishing: Promise<void> | null = null
  /** Recognised text that isn't sent yet: the recogniser stops at a silence, but the user may go on after a breath. */
  let pendingText = ''
  const addText = (text: string) => {
    pendingText = `${pendingText} ${text}`.trim()
  }
  /** Starts the browser's recogniser where it is used, unless it runs or the talk is muted or over. */
  const listen = () => {
    if (options.engine === 'server' || recogniser || finishing || talkController.signal.aborted || state.get().isMuted)
      return
    // It would transcribe the answer that's read aloud.
    if (state.get().step === 'speaking') return
    const ownRecogniser = startListening(language, (trouble, transcript) => {
      if (recogniser !== ownRecogniser) return
      recogniser = null
      addText(transcript)
      if (trouble === null) setTimeout(listen, LISTEN_AGAIN_MS)
      else options.onRecogniserFailed(trouble)
    })
    recogniser = ownRecogniser
  }
  const finishListening = async () => {
    const ownRecogniser = recogniser
    recogniser = null
    addText((await ownRecogniser?.finish()) ?? '')
    finishing = null
    listen()
  }
  const stopListening = () => {
    recogniser?.cancel()
    recogniser = null
  }
  /** Cancels the recogniser and drops its text, unless it's being stopped to get that text, which will be sent. */
  const dropPendingText = () => {
    if (finishing === null) pendingText = ''
    stopListening()
  }

  const isAnswering = () => conversation.state.get().activity !== 'idle'

  /** Recorded speech that isn't sent yet; if the user goes on after a breath, it becomes part of the same message. */
  let unsent: Float32Array[] = []

  const handleSpeechStart = () => {
    turnController.abort()
    turnController = new AbortController()
    reading = null
    stopSpeaking()
    if (isAnswering()) conversation.stop().catch(options.onTrouble)
    set({ step: 'hearing' })
    listen()
  }
  const showListening = () => set({ step: 'listening' })
  /** Listens again and drops the text recognised until now. */
  const restartListening = () => {
    dropPendingText()
    showListening()
    listen()
  }
  const discardUnsent = () => {
    unsent = []
    pendingText = ''
  }

  const transcribe = async (samples: Float32Array, turnSignal: AbortSignal): Promise<string> => {
    if (options.engine === 'server') return options.transcribe(samples, turnSignal)
    finishing ??= finishListening()
    await finishing
    return pendingText
  }
  /** Waits for an interrupted answer to end, because a conversation accepts one message at a time. */
  const waitUntilIdle = async (turnSignal: AbortSignal) => {
    if (!isAnswering()) return
    const idle = Promise.withResolvers<void>()
    const unsubscribe = conversation.state.subscribe(() => !isAnswering() && idle.resolve())
    turnSignal.addEventListener('abort', () => idle.resolve(), { once: true })
    await idle.promise.finally(unsubscribe)
  }
  const sendUnsent = async () => {
    const turnSignal = turnController.signal
    set({ step: 'thinking' })
    try {
      const transcript = (await transcribe(concatenate(unsent), turnSignal)).trim()
      await waitUntilIdle(turnSignal)
      if (turnSignal.aborted || talkController.signal.aborted) return
      discardUnsent()
      if (transcript === '' || !conversation.send(transcript, { pictures: [], media: [] })) return showListening()
      reading = { key: null, nextOffset: 0, pendingSpeech: '', isSpeaking: false }
    } catch (error) {
      if (turnSignal.aborted || talkController.signal.aborted) return
      discardUnsent()
      options.onTrouble(error)
      showListening()
    }
  }

  /** Reads the answer's ready sentences aloud, then those that have become ready meanwhile. */
  const speakPending = async (current: NonNullable<typeof reading>) => {
    if (current.isSpeaking) return
    current.isSpeaking = true
    while (current.pendingSpeech !== '' && current === reading) {
      const sentences = current.pendingSpeech
      current.pendingSpeech = ''
      if (state.get().isVoiceless) continue
      set({ step: 'speaking' })
      dropPendingText()
      try {
        await startSpeaking(SPEECH_ID, sentences, options.voice, language)
      } catch (error) {
        if (error instanceof NoVoiceError) set({ isVoiceless: true })
        options.onTrouble(error)
      }
    }
    current.isSpeaking = false
    if (current !== reading) return
    if (isAnswering()) set({ step: 'thinking' })
    else {
      reading = null
      restartListening()
    }
  }
  const speakNewText = () => {
    const current = reading
    if (current === null) return
    const { items } = conversation.state.get()
    const answer = items.at(-1)
    const isOver = !isAnswering()
    if (answer?.role === 'assistant') {
      current.key ??= answer.key
      // The answer was restarted, because its text so far was reasoning.
      if (answer.content.length < current.nextOffset) Object.assign(current, { nextOffset: 0, pendingSpeech: '' })
      const { speech, next } = spokenSince(answer.content, current.nextOffset, isOver, options.codeWord)
      current.nextOffset = next
      if (speech !== '') current.pendingSpeech = `${current.pendingSpeech} ${speech}`.trim()
    }
    if (current.pendingSpeech !== '' || isOver) void speakPending(current)
  }

  const listener = await startListener(
    {
      onSpeechStart: handleSpeechStart,
      onSpeech: (samples) => {
        unsent.push(samples)
        void sendUnsent()
      },
      onNoise: () => {
        // The recogniser may have heard a word in the noise. In any other step, its text belongs to a message.
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
  const unsubscribe = conversation.state.subscribe(speakNewText)
  showListening()
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
      talkController.abort()
      turnController.abort()
      reading = null
      unsubscribe()
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
