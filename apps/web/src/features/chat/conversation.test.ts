import type { ChatEvent, ChatSessionDetailJson } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import type { AnswerPart } from '../../api/chat.ts'
import { ApiError } from '../../api/client.ts'
import { createConversation } from './conversation.ts'
import type { UnsentMessage } from './conversation-state.ts'

const AT = '2026-11-20T12:00:00.000Z'

/** A stream that a test fills by hand. */
function createStream(signal: AbortSignal) {
  const queue: (AnswerPart | ApiError | 'end')[] = []
  let wake: () => void = () => undefined
  const put = (entry: AnswerPart | ApiError | 'end') => {
    queue.push(entry)
    wake()
  }
  async function* read(): AsyncGenerator<AnswerPart> {
    while (true) {
      if (signal.aborted) throw new DOMException('Left', 'AbortError')
      const entry = queue.shift()
      if (entry === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        continue
      }
      if (entry === 'end') return
      if (entry instanceof ApiError) throw entry
      yield entry
    }
  }
  return {
    parts: read(),
    give: (eventId: number, event: ChatEvent) => put({ eventId, event }),
    breakOff: () => put(new ApiError(0, { code: 'network', detail: 'The connection to the server was lost.' })),
    refuse: (status: number, detail: string) => put(new ApiError(status, { code: 'http', detail })),
    end: () => put('end'),
  }
}

function setUp() {
  const sends: { message: unknown; stream: ReturnType<typeof createStream> }[] = []
  const follows: { sessionId: string; reached: unknown; stream: ReturnType<typeof createStream> }[] = []
  const regenerations: { sessionId: string; messageId: string; stream: ReturnType<typeof createStream> }[] = []
  const stops: string[] = []
  const stored: ChatSessionDetailJson = {
    id: 's1',
    session_name: 'Lisbon',
    created_at: AT,
    updated_at: AT,
    message_count: 0,
    agent_used: null,
    status: 'active',
    tokens_used: 0,
    avg_response_time: null,
    sentiment: 'neutral',
    pinned: false,
    snippet: null,
    messages: [],
    previous_cursor: null,
  }
  const loads: (Error | null)[] = []
  let unsent: { sessionId: string | null; message: UnsentMessage }[] = []
  let lastId = 0
  const conversation = createConversation({
    api: {
      sendMessage(message, signal) {
        const stream = createStream(signal)
        sends.push({ message, stream })
        return stream.parts
      },
      followAnswer(sessionId, reached, signal) {
        const stream = createStream(signal)
        follows.push({ sessionId, reached, stream })
        return stream.parts
      },
      regenerateAnswer(sessionId, messageId, signal) {
        const stream = createStream(signal)
        regenerations.push({ sessionId, messageId, stream })
        return stream.parts
      },
      stopAnswer: async (sessionId) => void stops.push(sessionId),
      async fetchChatSession() {
        const failure = loads.shift()
        if (failure) throw failure
        return structuredClone(stored)
      },
    },
    unsent: {
      list: (sessionId) => unsent.filter((one) => one.sessionId === sessionId).map((one) => one.message),
      keep: (sessionId, message) => {
        unsent = [...unsent.filter((one) => one.message.client_id !== message.client_id), { sessionId, message }]
      },
      forget: (_sessionId, clientId) => {
        unsent = unsent.filter((one) => one.message.client_id !== clientId)
      },
    },
    newId: () => `c${++lastId}`,
    now: () => new Date(AT),
    wait: async () => undefined,
    beforeDrawing: (callback) => queueMicrotask(callback),
  })
  return {
    conversation,
    sends,
    follows,
    regenerations,
    stops,
    stored,
    loads,
    unsentTexts: () => unsent.map(({ sessionId, message }) => [sessionId, message.content]),
    texts: () => conversation.state.get().items.map(({ role, content }) => [role, content]),
  }
}

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 2))

const begin: ChatEvent = {
  type: 'session',
  session_id: 's1',
  user_message_id: 'u1',
  message_id: 'a1',
  session_name: 'Lisbon',
}
const chunk = (content: string): ChatEvent => ({ type: 'chunk', content })
const complete: ChatEvent = {
  type: 'complete',
  session_id: 's1',
  message_id: 'a1',
  model_used: 'a-model',
  engine: 'remote',
  usage: null,
  duration_ms: 5,
  interrupted: false,
}

describe('a message', () => {
  it('is sent once however often it is asked for, and its answer is shown as it comes', async () => {
    const { conversation, sends, texts } = setUp()
    conversation.open(null)
    conversation.send(' Hello ')
    conversation.send('Hello')
    expect(sends).toHaveLength(1)
    expect(sends[0]!.message).toEqual({
      content: 'Hello',
      session_id: null,
      has_images: false,
      images: [],
      client_id: 'c1',
    })
    sends[0]!.stream.give(1, begin)
    sends[0]!.stream.give(2, chunk('Good '))
    sends[0]!.stream.give(3, chunk('day'))
    await settle()
    expect(texts()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Good day'],
    ])
    expect(conversation.state.get().activity).toBe('answering')
    sends[0]!.stream.give(4, complete)
    sends[0]!.stream.end()
    await settle()
    expect(conversation.state.get()).toMatchObject({ activity: 'idle', sessionId: 's1', live: null })
  })

  it('that is blank is not sent', () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send(' \n ')
    expect(sends).toEqual([])
  })

  it('is kept until the server has stored it', async () => {
    const { conversation, sends, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    expect(unsentTexts()).toEqual([[null, 'Hello']])
    sends[0]!.stream.give(1, begin)
    await settle()
    expect(unsentTexts()).toEqual([])
  })

  it('that the server refuses keeps its text, and Retry sends the same message', async () => {
    const { conversation, sends, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.refuse(429, 'Too many messages.')
    await settle()
    const { items } = conversation.state.get()
    expect(items.map(({ delivery, failure }) => [delivery, failure instanceof ApiError && failure.detail])).toEqual([
      ['failed', false],
      ['failed', 'Too many messages.'],
    ])
    expect(unsentTexts()).toEqual([[null, 'Hello']])
    conversation.retry('c1')
    expect(sends).toHaveLength(2)
    expect(sends[1]!.message).toEqual(sends[0]!.message)
    expect(conversation.state.get().items.map(({ delivery }) => delivery)).toEqual(['sending', 'sending'])
  })

  it('that is taken back gives its text to the person', async () => {
    const { conversation, sends, unsentTexts, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.refuse(500, 'Broken.')
    await settle()
    expect(conversation.withdraw('c1')).toBe('Hello')
    expect(texts()).toEqual([])
    expect(unsentTexts()).toEqual([])
  })

  it('that finds no server is tried once more by itself, as the same message', async () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.breakOff()
    await settle()
    expect(sends).toHaveLength(2)
    expect(sends[1]!.message).toEqual(sends[0]!.message)
    expect(conversation.state.get().activity).toBe('reconnecting')
    sends[1]!.stream.breakOff()
    await settle()
    expect(sends).toHaveLength(2)
    expect(conversation.state.get().items[0]!.delivery).toBe('failed')
  })

  it('is not taken back by leaving before the server has it', async () => {
    const { conversation, sends, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    conversation.open('s2')
    sends[0]!.stream.give(1, begin)
    await settle()
    expect(unsentTexts()).toEqual([])
    expect(conversation.state.get().sessionId).toBe('s1')
  })
})

describe('a connection that breaks in the middle of an answer', () => {
  it('is taken up where it stopped, with nothing twice', async () => {
    const { conversation, sends, follows, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.give(1, begin)
    sends[0]!.stream.give(2, chunk('One '))
    sends[0]!.stream.breakOff()
    await settle()
    expect(conversation.state.get().activity).toBe('reconnecting')
    expect(follows.map(({ sessionId, reached }) => ({ sessionId, reached }))).toEqual([
      { sessionId: 's1', reached: { messageId: 'a1', afterEventId: 2 } },
    ])
    follows[0]!.stream.give(3, chunk('two '))
    follows[0]!.stream.breakOff()
    await settle()
    expect(follows[1]!.reached).toEqual({ messageId: 'a1', afterEventId: 3 })
    follows[1]!.stream.give(4, chunk('three'))
    await settle()
    expect(texts()[1]).toEqual(['assistant', 'One two three'])
    expect(sends).toHaveLength(1)
  })

  it('is taken up again as long as the server is not there', async () => {
    const { conversation, sends, follows } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.give(1, begin)
    sends[0]!.stream.breakOff()
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await settle()
      follows[attempt]!.stream.refuse(503, 'The database is away.')
    }
    await settle()
    expect(follows).toHaveLength(10)
    expect(conversation.state.get().activity).toBe('reconnecting')
  })

  it('shows what the server has when the stream cannot be had any more', async () => {
    const { conversation, sends, follows, stored, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.give(1, begin)
    sends[0]!.stream.breakOff()
    await settle()
    stored.messages = [
      { ...emptyMessage, id: 'u1', role: 'user', content: 'Hello' },
      { ...emptyMessage, id: 'a1', role: 'assistant', content: 'One two', interrupted: true },
    ]
    follows[0]!.stream.refuse(404, 'Not found.')
    await settle()
    expect(texts()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'One two'],
    ])
    expect(conversation.state.get().activity).toBe('idle')
  })
})

const emptyMessage: ChatSessionDetailJson['messages'][number] = {
  id: '',
  role: 'user',
  content: '',
  created_at: AT,
  images: [],
  model_used: null,
  engine: null,
  streaming: false,
  interrupted: false,
  error: null,
  error_code: null,
  reasoning: null,
  sources: [],
  agent_calls: [],
  usage: null,
  duration_ms: null,
  parent_id: null,
  siblings: { index: 0, count: 1, previous_id: null, next_id: null },
  rating: null,
}

describe('an opened conversation', () => {
  it('follows the answer that is being made in it', async () => {
    const { conversation, follows, stored, texts } = setUp()
    stored.messages = [
      { ...emptyMessage, id: 'u1', content: 'Hello' },
      { ...emptyMessage, id: 'a1', role: 'assistant', content: 'On', streaming: true },
    ]
    conversation.open('s1')
    await settle()
    expect(follows.map(({ reached }) => reached)).toEqual([{ messageId: 'a1', afterEventId: null }])
    follows[0]!.stream.give(1, begin)
    follows[0]!.stream.give(2, chunk('One two'))
    await settle()
    expect(texts()[1]).toEqual(['assistant', 'One two'])
    expect(conversation.state.get().activity).toBe('answering')
  })

  it('shows what another tab sends and follows its answer', async () => {
    const { conversation, follows, stored } = setUp()
    conversation.open('s1')
    await settle()
    expect(follows).toEqual([])
    stored.messages = [
      { ...emptyMessage, id: 'u1', content: 'Hello' },
      { ...emptyMessage, id: 'a1', role: 'assistant', streaming: true },
    ]
    conversation.notice()
    await settle()
    expect(follows).toHaveLength(1)
  })

  it('waits for the end of its own answer before it loads the news', async () => {
    const { conversation, sends, stored, texts } = setUp()
    conversation.open('s1')
    await settle()
    conversation.send('Hello')
    sends[0]!.stream.give(1, begin)
    stored.session_name = 'Days in Lisbon'
    stored.messages = [{ ...emptyMessage, id: 'u1', content: 'Hello' }]
    conversation.notice()
    await settle()
    expect(conversation.state.get().sessionName).toBe('Lisbon')
    stored.messages.push({ ...emptyMessage, id: 'a1', role: 'assistant', content: 'Day' })
    sends[0]!.stream.give(2, chunk('Day'))
    sends[0]!.stream.give(3, complete)
    sends[0]!.stream.end()
    await settle()
    expect(conversation.state.get().sessionName).toBe('Days in Lisbon')
    expect(texts()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Day'],
    ])
  })

  it('does not follow for ever a stream that ends without saying how', async () => {
    const { conversation, follows, stored } = setUp()
    stored.messages = [{ ...emptyMessage, id: 'a1', role: 'assistant', streaming: true }]
    conversation.open('s1')
    await settle()
    follows[0]!.stream.end()
    await settle()
    expect(follows).toHaveLength(1)
    expect(conversation.state.get().activity).toBe('idle')
  })

  it('says that it is not there, and tells that from a server that is not there', async () => {
    const { conversation, loads } = setUp()
    loads.push(new ApiError(404, { code: 'not_found', detail: 'Not found.' }))
    conversation.open('s1')
    await settle()
    expect(conversation.state.get().status).toBe('missing')
    loads.push(new ApiError(0, { code: 'network', detail: 'Gone.' }))
    conversation.open('s1')
    await settle()
    expect(conversation.state.get().status).toBe('unreachable')
  })
})

describe('Stop', () => {
  it('tells the server and waits for the end of the stream', async () => {
    const { conversation, sends, stops } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.give(1, begin)
    sends[0]!.stream.give(2, chunk('One'))
    await settle()
    await conversation.stop()
    expect(stops).toEqual(['s1'])
    expect(conversation.state.get().isStopping).toBe(true)
    sends[0]!.stream.give(3, { ...complete, interrupted: true } as ChatEvent)
    sends[0]!.stream.end()
    await settle()
    expect(conversation.state.get()).toMatchObject({ activity: 'idle', isStopping: false })
    expect(conversation.state.get().items[1]).toMatchObject({ content: 'One', interrupted: true })
  })

  it('gives a message back that the server has not taken', async () => {
    const { conversation, sends, stops, texts, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    expect(sends).toHaveLength(1)
    await conversation.stop()
    await settle()
    expect(stops).toEqual([])
    expect(texts()).toEqual([['user', 'Hello']])
    expect(conversation.state.get()).toMatchObject({ activity: 'idle', isStopping: false })
    expect(unsentTexts()).toEqual([[null, 'Hello']])
  })
})

/** A conversation of two questions that is open. */
async function setUpBranches() {
  const all = setUp()
  all.stored.messages = [
    { ...emptyMessage, id: 'u1', content: 'First' },
    { ...emptyMessage, id: 'a1', role: 'assistant', content: 'One', parent_id: 'u1' },
    { ...emptyMessage, id: 'u2', content: 'Second', parent_id: 'a1' },
    { ...emptyMessage, id: 'a2', role: 'assistant', content: 'Two', parent_id: 'u2' },
  ]
  all.conversation.open('s1')
  await settle()
  return all
}

describe('another version', () => {
  it('of a question takes its place and follows the same message', async () => {
    const { conversation, sends, texts } = await setUpBranches()
    expect(conversation.send('Second, better', { replaces: 'u2' })).toBe(true)
    expect(sends[0]!.message).toMatchObject({ content: 'Second, better', session_id: 's1', parent_id: 'a1' })
    expect(texts()).toEqual([
      ['user', 'First'],
      ['assistant', 'One'],
      ['user', 'Second, better'],
      ['assistant', ''],
    ])
  })

  it('of the first question follows nothing', async () => {
    const { conversation, sends, texts } = await setUpBranches()
    conversation.send('Anew', { replaces: 'u1' })
    expect(sends[0]!.message).toHaveProperty('parent_id', null)
    expect(texts()).toEqual([
      ['user', 'Anew'],
      ['assistant', ''],
    ])
  })

  it('of a question keeps its place when it failed and is sent again', async () => {
    const { conversation, sends } = await setUpBranches()
    conversation.send('Second, better', { replaces: 'u2' })
    sends[0]!.stream.refuse(500, 'Broken.')
    await settle()
    conversation.retry(conversation.state.get().items.find(({ delivery }) => delivery === 'failed')!.key)
    expect(sends[1]!.message).toMatchObject({ content: 'Second, better', parent_id: 'a1' })
  })

  it('of an answer stands where that one stood and is read as it comes', async () => {
    const { conversation, regenerations, texts } = await setUpBranches()
    const done = conversation.regenerate('a1')
    expect(regenerations[0]).toMatchObject({ sessionId: 's1', messageId: 'a1' })
    regenerations[0]!.stream.give(1, { ...begin, message_id: 'a3' } as ChatEvent)
    regenerations[0]!.stream.give(2, chunk('Uno'))
    await settle()
    expect(texts()).toEqual([
      ['user', 'First'],
      ['assistant', 'Uno'],
    ])
    expect(conversation.state.get().items[1]).toMatchObject({ id: 'a3', streaming: true })
    regenerations[0]!.stream.end()
    await done
  })

  it('of an answer that is refused leaves what was there', async () => {
    const { conversation, regenerations, texts } = await setUpBranches()
    const done = conversation.regenerate('a2')
    regenerations[0]!.stream.refuse(409, 'Another answer is being made.')
    await expect(done).rejects.toThrow('Another answer is being made.')
    expect(texts().at(-1)).toEqual(['assistant', 'Two'])
    expect(conversation.state.get().activity).toBe('idle')
  })
})

describe('pictures', () => {
  const cat = { name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AAAA' }

  it('are sent with the message and shown with it', () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    expect(sends[0]!.message).toMatchObject({ content: 'Who is this?', has_images: true, images: [cat.data] })
    expect(conversation.state.get().items[0]!.images).toEqual([
      { name: 'cat.png', url: 'blob:cat', thumbnail: 'blob:cat' },
    ])
  })

  it('without a text ask for a description', () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    expect(conversation.send('  ', { pictures: [cat] })).toBe(true)
    expect(sends[0]!.message).toMatchObject({ content: 'Please describe these images.', has_images: true })
  })

  it('go with the message again when it failed', async () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    sends[0]!.stream.refuse(503, 'Not now.')
    await settle()
    conversation.retry(conversation.state.get().items[0]!.key)
    expect(sends[1]!.message).toMatchObject({ has_images: true, images: [cat.data] })
  })
})
