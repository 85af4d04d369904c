import { beforeEach, expect, test, vi } from 'vitest'
import { createStore } from '../../../../lib/loading/store.ts'
import { emptyConversation } from '../../conversation/conversation-state.ts'
import { startListening } from '../recogniser.ts'
import { type Ears, startListener } from './listener.ts'
import { startTalk } from './talk.ts'

vi.mock('./listener.ts')
vi.mock('../recogniser.ts')

let ears: Ears
const listening: { finish: () => Promise<string>; cancel: ReturnType<typeof vi.fn> }[] = []
let transcript = Promise.withResolvers<string>()

beforeEach(() => {
  listening.length = 0
  transcript = Promise.withResolvers()
  vi.mocked(startListening).mockImplementation(() => {
    const one = { finish: () => transcript.promise, cancel: vi.fn() }
    listening.push(one)
    return one
  })
  vi.mocked(startListener).mockImplementation(async (listener) => {
    ears = listener
    return { mute: () => undefined, close: () => undefined }
  })
})

function talk() {
  const conversation = { state: createStore(emptyConversation), send: vi.fn(() => true), stop: vi.fn(async () => {}) }
  const started = startTalk(
    {
      conversation,
      listens: 'browser',
      speaks: 'browser',
      language: 'en',
      codeWord: 'code',
      transcribe: async () => '',
      onTrouble: () => undefined,
    },
    new AbortController().signal,
  )
  return { begun: started, conversation }
}

test('what was said is sent, and the browser listens on', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  ears.onBegun()
  ears.onSpeech(new Float32Array(16))
  transcript.resolve('When does the ferry leave?')
  await vi.waitFor(() =>
    expect(conversation.send).toHaveBeenCalledWith('When does the ferry leave?', expect.anything()),
  )
  expect(listening).toHaveLength(2)
  end()
  expect(listening[1]?.cancel).toHaveBeenCalled()
})

test('who ends a talk while it is written down is listened to by nobody', async () => {
  const { begun: started, conversation } = talk()
  const { end } = await started
  ears.onBegun()
  ears.onSpeech(new Float32Array(16))
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
  expect(listening[0]?.cancel).toHaveBeenCalled()
})
