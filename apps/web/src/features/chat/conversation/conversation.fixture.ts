import type { ChatEvent, ChatRequestJson, UpdateChatSession } from '@mira/shared'
import { ApiError } from '../../../lib/api/client.ts'
import type { AnswerPart } from './chat-calls.ts'
import { createConversation } from './conversation.ts'
import { CREATED_AT, detail, message } from './conversation-state.fixture.ts'
import type { ConversationTools, OutgoingPicture, UnsentMessage } from './conversation-state.ts'

/** Stream that a test fills manually. */
function createStream(signal: AbortSignal) {
  const queue: (AnswerPart | ApiError | 'end')[] = []
  let wake: () => void = () => undefined
  const push = (entry: AnswerPart | ApiError | 'end') => {
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
    push: (eventId: number, event: ChatEvent) => push({ eventId, event }),
    disconnect: () => push(new ApiError(0, { code: 'network', detail: 'The connection to the server was lost.' })),
    fail: (status: number, detail: string) => push(new ApiError(status, { code: 'http', detail })),
    end: () => push('end'),
  }
}

/** A conversation with a fake server that the test controls. */
export function setUp(options: Partial<Pick<ConversationTools, 'isTemporary' | 'newChatChoice'>> = {}) {
  const sends: { message: ChatRequestJson; stream: ReturnType<typeof createStream> }[] = []
  const follows: { sessionId: string; reached: unknown; stream: ReturnType<typeof createStream> }[] = []
  const regenerations: {
    sessionId: string
    messageId: string
    model?: string | undefined
    stream: ReturnType<typeof createStream>
  }[] = []
  const stops: string[] = []
  /** Ids assigned to new conversations. */
  const adoptions: string[] = []
  const stored = detail([], { id: 's1' })
  /** Errors of the next requests for the conversation; null lets a request succeed. */
  const loads: (Error | null)[] = []
  let unsent: { sessionId: string | null; message: UnsentMessage }[] = []
  let lastId = 0
  const storedPictures = new Map<string, readonly OutgoingPicture[]>()
  const updates: { change: UpdateChatSession; completion: PromiseWithResolvers<void> }[] = []
  const tools: ConversationTools = {
    newChatChoice: () => ({ model: null, parameters: null }),
    newChatProjectId: () => null,
    newChatPersonaId: () => null,
    ...options,
    api: {
      sendMessage(message, signal) {
        const stream = createStream(signal)
        sends.push({ message, stream })
        return stream.parts
      },
      streamAnswer(sessionId, reached, signal) {
        const stream = createStream(signal)
        follows.push({ sessionId, reached, stream })
        return stream.parts
      },
      regenerateAnswer(sessionId, request, signal) {
        const stream = createStream(signal)
        regenerations.push({ sessionId, ...request, stream })
        return stream.parts
      },
      async updateChatSession(_id, change) {
        const completion = Promise.withResolvers<void>()
        updates.push({ change, completion })
        await completion.promise
        Object.assign(stored, change)
        return stored
      },
      stopAnswer: async (sessionId) => void stops.push(sessionId),
      async fetchChatSession(id) {
        const failure = loads.shift()
        if (failure) throw failure
        return { ...structuredClone(stored), id }
      },
    },
    unsent: {
      list: (sessionId) => unsent.filter((one) => one.sessionId === sessionId).map((one) => one.message),
      pictures: async (clientId) => storedPictures.get(clientId) ?? [],
      keep: (sessionId, message, pictures) => {
        if (pictures) storedPictures.set(message.client_id, pictures)
        unsent = [...unsent.filter((one) => one.message.client_id !== message.client_id), { sessionId, message }]
      },
      forget: (_sessionId, clientId) => {
        storedPictures.delete(clientId)
        unsent = unsent.filter((one) => one.message.client_id !== clientId)
      },
      adopt: (sessionId, clientIds) => {
        adoptions.push(sessionId)
        const isOwn = (id: string) => clientIds.has(id)
        unsent = unsent.map((one) => (isOwn(one.message.client_id) ? { ...one, sessionId } : one))
      },
    },
    defaultQuestion: (hasPictures, hasMedia) =>
      hasPictures ? 'Please describe these images.' : hasMedia ? 'Please describe what is attached.' : '',
    newId: () => `c${++lastId}`,
    now: () => new Date(CREATED_AT),
    wait: async () => undefined,
    beforeDrawing: (callback) => queueMicrotask(callback),
  }
  const conversation = createConversation(tools)
  return {
    conversation,
    /** The same conversation after a page reload. */
    reload: () => createConversation(tools),
    storedPictures,
    sends,
    follows,
    regenerations,
    updates,
    stops,
    adoptions,
    stored,
    loads,
    /** Simulates another tab that removes a stored message. */
    forget: (clientId: string) => tools.unsent.forget(null, clientId),
    unsentTexts: () => unsent.map(({ sessionId, message }) => [sessionId, message.content]),
    texts: () => conversation.state.get().items.map(({ role, content }) => [role, content]),
  }
}

/** Waits for everything that's ready to run. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 2))

/** The beginning of the answer `a1` to the question `u1`. */
export const sessionEvent: ChatEvent = {
  type: 'session',
  session_id: 's1',
  user_message_id: 'u1',
  message_id: 'a1',
  session_name: 'Lisbon',
}
/** A piece of an answer. */
export const chunk = (content: string): ChatEvent => ({ type: 'chunk', content })
/** The end of the answer `a1`. */
export const complete: ChatEvent = {
  type: 'complete',
  session_id: 's1',
  message_id: 'a1',
  model_used: 'a-model',
  engine: 'remote',
  usage: null,
  duration_ms: 5,
  interrupted: false,
}

/** A stored message without content. */
export const emptyMessage = message('', 'user', '')

/** An open conversation with two questions. */
export async function setUpBranches() {
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
