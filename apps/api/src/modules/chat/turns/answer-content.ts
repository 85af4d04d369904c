import type { AgentCall, ChatEvent, Source } from '@mira/shared'

/** Accumulated content of an answer's events. */
export interface AnswerContent {
  content: string
  /** Null when the model sent none. */
  reasoning: string | null
  sources: Source[]
  agentCalls: AgentCall[]
}

/** Combines the events of an answer that has ended, even early. */
export function collectAnswer(events: ChatEvent[]): AnswerContent {
  const answer: AnswerContent = { content: '', reasoning: null, sources: [], agentCalls: [] }
  const calls = new Map<string, AgentCall>()
  for (const event of events) {
    if (event.type === 'session') {
      answer.content = ''
      answer.reasoning = null
    } else if (event.type === 'chunk') answer.content += event.content
    else if (event.type === 'reasoning') answer.reasoning = (answer.reasoning ?? '') + event.content
    else if (event.type === 'sources') answer.sources = event.sources
    else if (event.type === 'agent') {
      const { type: _type, ...call } = event
      calls.set(call.call_id, { ...calls.get(call.call_id), ...call })
    }
  }
  return { ...answer, agentCalls: settleCalls(calls.values()) }
}

const UNKNOWN_END = 'This was interrupted: it’s not known whether it was done.'

/** Calls of an answer that has ended; unfinished calls count as failed. */
export function settleCalls(calls: Iterable<AgentCall>): AgentCall[] {
  return [...calls].map((call) =>
    call.state === 'started' ? { summary: UNKNOWN_END, ...call, state: 'failed' as const } : call,
  )
}
