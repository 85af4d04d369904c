import type { ChatEngine, EngineEvent, Question, Tool } from '../src/engines/chat-engine.ts'
import { createRemote, type RemoteOptions } from '../src/engines/remote/remote-ai.ts'
import type { EngineError } from '../src/errors.ts'
import { silentLog } from './database-template.ts'
import type { StandInServer } from './stand-in-server.ts'

export const lookup: Tool = {
  name: 'lookup',
  description: 'Looks it up.',
  parameters: { type: 'object', properties: {} },
}

/** Engines of a stand-in server, with long timeouts and immediate retries. */
export const enginesOf = (server: StandInServer, options: Partial<RemoteOptions> = {}) =>
  createRemote({
    baseUrl: server.baseUrl,
    apiKey: undefined,
    chatModel: 'stand-in',
    embeddingModel: 'stand-in-embedding',
    log: silentLog,
    firstTokenTimeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    retryDelayMs: 1,
    ...options,
  })

export interface QuestionOptions {
  tools?: Tool[]
  parameters?: Question['parameters']
  question?: Partial<Question>
}

/** Asks an engine one question. @returns its events, and the error if it failed. */
export async function askEngine(engine: ChatEngine, { tools = [], parameters, question = {} }: QuestionOptions) {
  const events: EngineEvent[] = []
  const calledTools: string[] = []
  let error: EngineError | null = null
  const fullQuestion: Question = {
    instructions: 'You are Mira.',
    turns: [{ role: 'user', content: 'What is 17*23?' }],
    language: 'en',
    timeZone: 'UTC',
    assistantName: 'Mira',
    memory: 'closed',
    passages: [],
    parameters,
    recall: async () => [],
    tools,
    toolFor: () => null,
    async callTool(name) {
      calledTools.push(name)
      return { isError: false, text: '391' }
    },
    ...question,
  }
  try {
    for await (const event of engine.answer(fullQuestion, new AbortController().signal)) events.push(event)
  } catch (thrown) {
    error = thrown as EngineError
  }
  const textOf = (type: string) =>
    events.flatMap((event) => ('text' in event && event.type === type ? [event.text] : [])).join('')
  return { text: textOf('text'), reasoning: textOf('reasoning'), end: events.at(-1), events, calledTools, error }
}
