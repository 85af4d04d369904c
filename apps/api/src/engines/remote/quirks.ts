import type OpenAI from 'openai'
import { APIError } from 'openai/core/error'
import { readAnswerStream } from './answer-stream.ts'
import { readDelta } from './deltas.ts'
import { serverMessageOf } from './errors.ts'

type Body = OpenAI.ChatCompletionCreateParams
type Messages = Body['messages']

/** A deviation from the protocol that a model requires in requests, and that other models refuse. */
interface Quirk {
  name: string
  /** Words in a refusal that reveal the quirk. */
  words: RegExp
  /** The adapted request; null when it contains nothing to adapt. */
  adapt(body: Body): Body | null
}

const without = (body: Body, ...fields: string[]): Body | null =>
  fields.some((field) => field in body)
    ? (Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field))) as unknown as Body)
    : null

const renameLimit = (from: 'max_tokens' | 'max_completion_tokens', to: 'max_tokens' | 'max_completion_tokens') =>
  function adapt(body: Body): Body | null {
    const limit = body[from]
    if (limit === undefined || limit === null) return null
    const { [from]: _refused, ...rest } = body
    return { ...rest, [to]: limit } as Body
  }

const mapMessages = (body: Body, change: (message: Messages[number]) => Messages[number]): Body | null => {
  const messages = body.messages.map(change)
  return messages.some((message, index) => message !== body.messages[index]) ? { ...body, messages } : null
}

const hasCalls = (message: Messages[number]) => message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0

/** Moves the system prompt into the user's first message. */
function foldInstructions(body: Body): Body | null {
  const instructions = body.messages
    .flatMap((message) => (message.role === 'system' ? [String(message.content)] : []))
    .join('\n\n')
  if (instructions === '') return null
  const rest = body.messages.filter(({ role }) => role !== 'system')
  const index = rest.findIndex(({ role }) => role === 'user')
  const first = rest[index]
  if (first?.role !== 'user') return { ...body, messages: [{ role: 'user', content: instructions }, ...rest] }
  const content: typeof first.content =
    typeof first.content === 'string'
      ? `${instructions}\n\n${first.content}`
      : [{ type: 'text', text: instructions }, ...first.content]
  return { ...body, messages: rest.with(index, { ...first, content }) }
}

const GOOGLE_PLACEHOLDER = { google: { thought_signature: 'skip_thought_signature_validator' } }

/** Tried in this order; a model's quirks apply to all later requests. */
const quirks: readonly Quirk[] = [
  {
    name: 'max_completion_tokens',
    words: /max_completion_tokens|unsupported.{0,100}max_tokens|max_tokens.{0,100}(not supported|unsupported)/i,
    adapt: renameLimit('max_tokens', 'max_completion_tokens'),
  },
  {
    name: 'max_tokens',
    words: /max_completion_tokens/i,
    adapt: renameLimit('max_completion_tokens', 'max_tokens'),
  },
  {
    name: 'no system role',
    words:
      /system.{0,20}(role|prompt|messages?|instruction)|(role|message)s?.{0,20}system|developer instruction|roles must alternate/i,
    adapt: foldInstructions,
  },
  {
    name: 'signatures required',
    words: /thought_?signature/i,
    adapt: (body) =>
      mapMessages(body, (message) => {
        if (message.role !== 'assistant' || !hasCalls(message)) return message
        const calls = message.tool_calls ?? []
        if (calls.every((call) => 'extra_content' in call)) return message
        const signed = calls.map((call) =>
          'extra_content' in call ? call : { ...call, extra_content: GOOGLE_PLACEHOLDER },
        )
        return { ...message, tool_calls: signed }
      }),
  },
  {
    name: 'reasoning required',
    words:
      /reasoning_content.{0,40}(missing|required|must|passed back)|(missing|must|requires?|pass).{0,40}reasoning_content/i,
    adapt: (body) =>
      mapMessages(body, (message) =>
        hasCalls(message) && !('reasoning_content' in message)
          ? Object.assign({ ...message }, { reasoning_content: ' ' })
          : message,
      ),
  },
  {
    name: 'no reasoning back',
    words: /reasoning|thinking_blocks/i,
    adapt: (body) =>
      mapMessages(body, (message) => {
        const fields = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks']
        if (!fields.some((field) => field in message)) return message
        return Object.fromEntries(
          Object.entries(message).filter(([field]) => !fields.includes(field)),
        ) as unknown as typeof message
      }),
  },
  {
    name: 'no null content',
    words: /content.{0,60}(nil|null|none|string|required|missing)|(nil|null|none).{0,40}content/i,
    adapt: (body) =>
      mapMessages(body, (message) =>
        message.role === 'assistant' && message.content === null ? { ...message, content: '' } : message,
      ),
  },
  { name: 'no temperature', words: /temperature/i, adapt: (body) => without(body, 'temperature') },
  { name: 'no top_p', words: /top_p/i, adapt: (body) => without(body, 'top_p') },
  { name: 'no reasoning_effort', words: /reasoning.?effort/i, adapt: (body) => without(body, 'reasoning_effort') },
  {
    name: 'no limit',
    words: /max_(completion_)?tokens/i,
    adapt: (body) => without(body, 'max_tokens', 'max_completion_tokens'),
  },
]

/** Quirks of one server's models, learned from their refusals. */
interface Quirks {
  /** Adapts a request to the known quirks of its model. */
  apply<Given extends Body>(body: Given): Given
  /** Learns from a refusal. @returns the name of the learned quirk; null when another request wouldn't help. */
  learn(error: unknown, body: Body): string | null
  /** Models that only answer in a stream. */
  streamsOnly: Set<string>
}

export function createQuirks(): Quirks {
  const quirksByModel = new Map<string, Quirk[]>()
  const apply = <Given extends Body>(body: Given): Given =>
    (quirksByModel.get(body.model) ?? []).reduce<Body>(
      (adapted, quirk) => quirk.adapt(adapted) ?? adapted,
      body,
    ) as Given
  return {
    streamsOnly: new Set(),
    apply,
    learn(error, body) {
      if (!(error instanceof APIError) || ![400, 422, 500].includes(error.status ?? 0)) return null
      const learned = quirksByModel.get(body.model) ?? []
      const message = serverMessageOf(error)
      const adjustedBody = apply(body)
      const quirk = quirks.find(
        (quirk) => !learned.includes(quirk) && quirk.words.test(message) && quirk.adapt(adjustedBody) !== null,
      )
      if (quirk === undefined) return null
      quirksByModel.set(body.model, [...learned, quirk])
      return quirk.name
    },
  }
}

/** Refusals by DashScope and others, where reasoning models only answer in a stream. */
const streamOnlyWords =
  /non-?stream|only supports? stream|stream(ing)? only|stream\s*[=:]\s*`?(true|false)|enable_thinking/i

/** A complete answer. */
interface Completion {
  content: string
  finishReason: string | null
  isRefused: boolean
  model: string | null
}

/** Asks for a complete answer, retrying with newly learned quirks. */
export async function askWithQuirks(
  quirks: Quirks,
  body: OpenAI.ChatCompletionCreateParamsNonStreaming,
  { client, signal }: { client: OpenAI; signal: AbortSignal },
): Promise<Completion> {
  const { completions } = client.chat
  for (;;) {
    const request = quirks.apply(body)
    try {
      const response = quirks.streamsOnly.has(body.model)
        ? await completions.create({ ...request, stream: true }, { signal }).asResponse()
        : await completions.create(request, { signal }).asResponse()
      return await readCompletion(response)
    } catch (error) {
      const isStreamWanted =
        error instanceof APIError && error.status === 400 && streamOnlyWords.test(serverMessageOf(error))
      if (isStreamWanted && !quirks.streamsOnly.has(body.model)) quirks.streamsOnly.add(body.model)
      else if (quirks.learn(error, body) === null) throw error
    }
  }
}

async function readCompletion(response: Response): Promise<Completion> {
  const completion: Completion = { content: '', finishReason: null, isRefused: false, model: null }
  for await (const event of readAnswerStream(response)) {
    if (event.type === 'done') break
    if (event.type === 'alive') continue
    const { choices, model } = event.chunk as Partial<OpenAI.ChatCompletionChunk>
    const choice = choices?.[0] as { delta?: unknown; message?: unknown; finish_reason?: string | null } | undefined
    const delta = choice?.delta ?? choice?.message
    completion.content += readDelta(delta).content
    completion.isRefused ||= Boolean((delta as { refusal?: unknown } | null | undefined)?.refusal)
    completion.finishReason = choice?.finish_reason || completion.finishReason
    completion.model = model || completion.model
  }
  return completion
}
