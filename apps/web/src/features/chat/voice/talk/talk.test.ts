import { beforeEach, expect, test, vi } from 'vitest'
import { createStore } from '../../../../lib/loading/store.ts'
import { storedItem } from '../../conversation/chat-items.ts'
import { message } from '../../conversation/conversation-state.fixture.ts'
import { emptyConversation } from '../../conversation/conversation-state.ts'
import { type RecogniserTrouble, startListening } from '../recogniser.ts'
import { startSpeaking } from '../speaker.ts'
import { type ListenerEvents, startListener } from './listener.ts'
import { startTalk } from './talk.ts'

vi.mock('./listener.ts')
vi.mock('../recogniser.ts')
vi.mock('../speaker.ts')

let events: ListenerEvents
const recognitions: {
  finish: () => Promise<string>
  cancel: ReturnType<typeof vi.fn>
  onEnd: (trouble: RecogniserTrouble | null, text: string) => void
}[] = []
let transcript = Promise.withResolvers<string>()

beforeEach(() => {
  vi.mocked(startSpeaking).mockReset()
  recognitions.length = 0
  transcript = Promise.withResolvers()
  vi.mocked(startListening).mockImplementation((_, onEnd) => {
    const recognition = { finish: () => transcript.promise, cancel: vi.fn(), onEnd }
    recognitions.push(recognition)
    return recognition
  })
  vi.mocked(startListener).mockImplementation(async (listener) => {
    events = listener
    return { mute: () => undefined, close: () => undefined }
  })
})

function talk() {
  const conversation = { state: createStore(emptyConversation), send: vi.fn(() => true), stop: vi.fn(async () => {}) }
  const onRecogniserFailed = vi.fn()
  const started = startTalk(
    {
      conversation,
      engine: 'browser',
      voice: 'browser',
      language: 'en',
      codeWord: 'code',
      transcribe: async () => '',
      onTrouble: () => undefined,
      onRecogniserFailed,
    },
    new AbortController().signal,
  )
  return { started, conversation, onRecogniserFailed }
}

test('sends what was said, and starts recognition again', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  expect(recognitions).toHaveLength(2)
  end()
  expect(recognitions[1]?.cancel).toHaveBeenCalled()
})

test('restarts recognition when it stops on its own after a silence, and keeps the text so far', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  recognitions[0]?.onEnd(null, 'When')
  await vi.waitFor(() => expect(recognitions).toHaveLength(2))
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  end()
  recognitions.at(-1)?.onEnd(null, '')
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(recognitions).toHaveLength(3)
})

test('reads an answer from its beginning when all text so far turns out to be reasoning', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve))
  const write = (content: string, activity: 'answering' | 'idle' = 'answering') => {
    const answer = storedItem(message('a1', 'assistant', content), undefined)
    conversation.state.set({ ...conversation.state.get(), activity, items: [answer] })
  }
  write('They ask about a timetable. ')
  write('')
  write('It leaves at nine. ', 'idle')
  await vi.waitFor(() => expect(startSpeaking).toHaveBeenLastCalledWith('talk', 'It leaves at nine.', 'browser', 'en'))
  end()
})

test('sends nothing and starts no recognition when the talk ends during transcription', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  end()
  transcript.resolve('Not for you')
  await transcript.promise
  await new Promise((resolve) => setTimeout(resolve))
  expect(recognitions).toHaveLength(1)
  expect(conversation.send).not.toHaveBeenCalled()
})

test('stops recognition when there is no microphone', async () => {
  vi.mocked(startListener).mockRejectedValue(new Error('no microphone'))
  await expect(talk().started).rejects.toThrow('no microphone')
  expect(recognitions.filter(({ cancel }) => cancel.mock.calls.length === 0)).toEqual([])
})

const LONGER_THAN_A_PAUSE_MS = 400
const pause = () => new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_PAUSE_MS))

test('neither recognises nor sends what is said while muted', async () => {
  const { started, conversation } = talk()
  const { end, setMuted } = await started
  recognitions[0]?.onEnd(null, 'Between')
  await vi.waitFor(() => expect(recognitions).toHaveLength(2))
  setMuted(true)
  expect(recognitions[1]?.cancel).toHaveBeenCalled()
  recognitions[1]?.onEnd(null, 'ourselves')
  await pause()
  expect(recognitions).toHaveLength(2)
  setMuted(false)
  expect(recognitions).toHaveLength(3)
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  end()
})

test('sends a message even when the user mutes during its transcription', async () => {
  const { started, conversation } = talk()
  const { end, setMuted } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  setMuted(true)
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  expect(recognitions).toHaveLength(1)
  end()
})

test('sends a single message when the user continues after a breath', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  events.onSpeechStart()
  transcript.resolve('When does')
  await vi.waitFor(() => expect(recognitions).toHaveLength(2))
  transcript = Promise.withResolvers()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  end()
})

test('sends a message once when the user continues while the first part is transcribed', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  expect(recognitions).toHaveLength(2)
  end()
})

test('reports a failed recogniser and doesn’t restart it', async () => {
  const { started, onRecogniserFailed } = talk()
  await started
  recognitions[0]?.onEnd('recogniser', '')
  expect(onRecogniserFailed).toHaveBeenCalledExactlyOnceWith('recogniser')
  await pause()
  expect(recognitions).toHaveLength(1)
})

async function ask(question: string) {
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  transcript.resolve(question)
  await new Promise((resolve) => setTimeout(resolve))
  transcript = Promise.withResolvers()
}

function answer(conversation: ReturnType<typeof talk>['conversation'], content: string) {
  const items = [storedItem(message('a1', 'assistant', content), undefined)]
  conversation.state.set({ ...conversation.state.get(), activity: 'idle', items })
}

test('doesn’t take an answer that is read aloud for the next message', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  const speech = Promise.withResolvers<void>()
  vi.mocked(startSpeaking).mockReturnValue(speech.promise)
  await ask('When does the ferry leave?')
  recognitions[1]?.onEnd(null, 'a radio')
  await vi.waitFor(() => expect(recognitions).toHaveLength(3))
  answer(conversation, 'It leaves at nine.')
  expect(recognitions[2]?.cancel).toHaveBeenCalled()
  await pause()
  expect(recognitions).toHaveLength(3)
  speech.resolve()
  await vi.waitFor(() => expect(recognitions).toHaveLength(4))
  await ask('And the next one?')
  expect(conversation.send).toHaveBeenLastCalledWith('And the next one?', expect.anything())
  end()
})

test('starts recognition when the user interrupts an answer', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  vi.mocked(startSpeaking).mockReturnValue(new Promise(() => {}))
  await ask('When does the ferry leave?')
  answer(conversation, 'It leaves at nine.')
  expect(recognitions).toHaveLength(2)
  events.onSpeechStart()
  expect(recognitions).toHaveLength(3)
  end()
})

test('doesn’t put a noise before the next message', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  recognitions[0]?.onEnd(null, 'hm')
  events.onNoise()
  expect(recognitions).toHaveLength(2)
  await ask('When does the ferry leave?')
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  end()
})

test('sends a message despite a noise after it', async () => {
  const { started, conversation } = talk()
  const { end } = await started
  events.onSpeechStart()
  events.onSpeech(new Float32Array(16))
  events.onNoise()
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything()),
  )
  end()
})
