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
const listening: {
  finish: () => Promise<string>
  cancel: ReturnType<typeof vi.fn>
  endByItself: (trouble: RecogniserTrouble | null, said: string) => void
}[] = []
let transcript = Promise.withResolvers<string>()

beforeEach(() => {
  vi.mocked(startSpeaking).mockReset()
  listening.length = 0
  transcript = Promise.withResolvers()
  vi.mocked(startListening).mockImplementation((_, endByItself) => {
    const one = { finish: () => transcript.promise, cancel: vi.fn(), endByItself }
    listening.push(one)
    return one
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
  return { begun: started, conversation, onRecogniserFailed }
}

test('what was said is sent, and the browser listens on', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  expect(listening).toHaveLength(2)
  end()
  expect(listening[1]?.cancel).toHaveBeenCalled()
})

test('the browser listens on when it stopped by itself after a silence', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  listening[0]?.endByItself(null, 'When')
  await vi.waitFor(() => expect(listening).toHaveLength(2))
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  end()
  listening.at(-1)?.endByItself(null, '')
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(listening).toHaveLength(3)
})

test('an answer is read from its beginning after all so far turned out to be thoughts', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  events.onBegun()
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

test('who ends a talk while it is written down is listened to by nobody', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  end()
  transcript.resolve('Not for you')
  await transcript.promise
  await new Promise((resolve) => setTimeout(resolve))
  expect(listening).toHaveLength(1)
  expect(conversation.send).not.toHaveBeenCalled()
})

test('without a microphone the browser does not go on listening', async () => {
  vi.mocked(startListener).mockRejectedValue(new Error('no microphone'))
  await expect(talk().begun).rejects.toThrow('no microphone')
  expect(listening.filter(({ cancel }) => cancel.mock.calls.length === 0)).toEqual([])
})

const LONGER_THAN_A_PAUSE_MS = 400
const pause = () => new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_PAUSE_MS))

test('what is said while muted is neither heard nor sent later', async () => {
  const { begun: started, conversation } = talk()
  const { end, setMuted } = await started
  listening[0]?.endByItself(null, 'Between')
  await vi.waitFor(() => expect(listening).toHaveLength(2))
  setMuted(true)
  expect(listening[1]?.cancel).toHaveBeenCalled()
  listening[1]?.endByItself(null, 'ourselves')
  await pause()
  expect(listening).toHaveLength(2)
  setMuted(false)
  expect(listening).toHaveLength(3)
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  end()
})

test('a message is sent whose sender mutes themselves while it is written down', async () => {
  const { begun: started, conversation } = talk()
  const { end, setMuted } = await started
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  setMuted(true)
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  expect(listening).toHaveLength(1)
  end()
})

test('who goes on after a breath sends a single message', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  events.onBegun()
  transcript.resolve('When does')
  await vi.waitFor(() => expect(listening).toHaveLength(2))
  transcript = Promise.withResolvers()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  end()
})

test('who goes on while the first part is written down sends it once', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() => expect(conversation.send).toHaveBeenCalled())
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  expect(listening).toHaveLength(2)
  end()
})

test('a recogniser that fails is told and not asked again', async () => {
  const { begun: started, onRecogniserFailed } = talk()
  await started
  listening[0]?.endByItself('recogniser', '')
  expect(onRecogniserFailed).toHaveBeenCalledExactlyOnceWith('recogniser')
  await pause()
  expect(listening).toHaveLength(1)
})

async function ask(question: string) {
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  transcript.resolve(question)
  await new Promise((resolve) => setTimeout(resolve))
  transcript = Promise.withResolvers()
}

function answer(conversation: ReturnType<typeof talk>['conversation'], content: string) {
  const items = [storedItem(message('a1', 'assistant', content), undefined)]
  conversation.state.set({ ...conversation.state.get(), activity: 'idle', items })
}

test('an answer that is read aloud is not heard as the next message', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  const spoken = Promise.withResolvers<void>()
  vi.mocked(startSpeaking).mockReturnValue(spoken.promise)
  await ask('When does the ferry leave?')
  listening[1]?.endByItself(null, 'a radio')
  await vi.waitFor(() => expect(listening).toHaveLength(3))
  answer(conversation, 'It leaves at nine.')
  expect(listening[2]?.cancel).toHaveBeenCalled()
  await pause()
  expect(listening).toHaveLength(3)
  spoken.resolve()
  await vi.waitFor(() => expect(listening).toHaveLength(4))
  await ask('And the next one?')
  expect(conversation.send).toHaveBeenLastCalledWith('And the next one?', expect.anything())
  end()
})

test('who speaks into an answer is listened to', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  vi.mocked(startSpeaking).mockReturnValue(new Promise(() => {}))
  await ask('When does the ferry leave?')
  answer(conversation, 'It leaves at nine.')
  expect(listening).toHaveLength(2)
  events.onBegun()
  expect(listening).toHaveLength(3)
  end()
})

test('a noise is not put before the next message', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  listening[0]?.endByItself(null, 'hm')
  events.onNothing()
  expect(listening).toHaveLength(2)
  await ask('When does the ferry leave?')
  expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything())
  end()
})

test('a noise after a message does not keep it from being sent', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  events.onBegun()
  events.onSpeech(new Float32Array(16))
  events.onNothing()
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledExactlyOnceWith('When does the ferry leave?', expect.anything()),
  )
  end()
})
