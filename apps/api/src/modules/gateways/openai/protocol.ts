import type { AnswerStopReason, Source, Usage } from '@mira/shared'
import { z } from 'zod'

/** The id under which the assistant is listed beside the connected models: with memory, agents and citations. */
export const ASSISTANT_MODEL = 'mira'
const MAX_MESSAGES = 1000
const MAX_STOPS = 4
/** As many as OpenAI takes at once. */
const MAX_EMBEDDED = 2048
/** Limit of all texts in a request together. */
export const MAX_TEXT_CHARACTERS = 1_000_000

const partSchema = z.looseObject({ type: z.string() })
const callSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string().max(200), arguments: z.string() }).nullish(),
})
const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  tool_calls: z.array(callSchema).nullish(),
  tool_call_id: z.string().nullish(),
})
export type ProtocolMessage = z.output<typeof messageSchema>

/** POST /v1/chat/completions: what Mira reads of it; a connected model is given all that was sent. */
export const completionSchema = z.looseObject({
  model: z.string().min(1).max(300),
  messages: z.array(messageSchema).min(1).max(MAX_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(MAX_STOPS)]).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  n: z.number().int().nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type CompletionRequest = z.output<typeof completionSchema>

/** Texts that a program has cut into tokens of its model, whose server alone can read them. */
const tokensSchema = z.array(z.number().int().nonnegative()).min(1).max(8192)
const tokenListsSchema = z.array(tokensSchema).min(1).max(MAX_EMBEDDED)

/** POST /v1/embeddings */
export const embeddingsSchema = z.looseObject({
  model: z.string().min(1).max(300),
  input: z.union(
    [z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_EMBEDDED), tokensSchema, tokenListsSchema],
    {
      error: `must be a text or a list of at most ${MAX_EMBEDDED} texts, none of them empty`,
    },
  ),
  dimensions: z.number().int().positive().nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

/** A place of the memory that an answer cites as [n]. */
export interface Annotation {
  type: 'url_citation'
  url_citation: { url: string; title: string; start_index: number; end_index: number }
  /** Beside the protocol: which item, and where in it. */
  n: number
  media_id: string | null
  media_type: string
  snippet: string
  page?: number
  timestamp_seconds?: number
  frame_number?: number
}

/** The citations of a text; one that is cited several times is told by its first place. */
export function annotationsOf(text: string, sources: Source[], addressOf: (path: string) => string): Annotation[] {
  return sources.map(({ n, media_id, media_type, title, snippet, url, page, timestamp_seconds, frame_number }) => {
    const mark = `[${n}]`
    const at = Math.max(0, text.indexOf(mark))
    return {
      type: 'url_citation',
      url_citation: { url: addressOf(url), title, start_index: at, end_index: at + mark.length },
      n,
      media_id,
      media_type,
      snippet,
      ...(page === undefined ? {} : { page }),
      ...(timestamp_seconds === undefined ? {} : { timestamp_seconds }),
      ...(frame_number === undefined ? {} : { frame_number }),
    }
  })
}

/** Common fields of every chunk of an answer. */
export interface CompletionHead {
  id: string
  /** Seconds since 1970. */
  created: number
  model: string
  metadata?: Record<string, string>
}

export interface Finished {
  content: string
  reasoning: string
  annotations: Annotation[]
  /** Calls for the program to make; the answer continues with their results. */
  calls: ProgramCall[]
  usage: Usage | null
  finishReason: FinishReason
}

export type FinishReason = 'stop' | 'tool_calls' | AnswerStopReason

/** A call of the program's own tool that an answer ends with. */
export interface ProgramCall {
  id: string
  name: string
  /** JSON as the model wrote it. */
  argumentsText: string
}

const wireCall = ({ id, name, argumentsText }: ProgramCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: argumentsText },
})

const usageOf = ({ input_tokens, output_tokens }: Usage) => ({
  prompt_tokens: input_tokens,
  completion_tokens: output_tokens,
  total_tokens: input_tokens + output_tokens,
})

/** An answer in one piece. */
export function wholeCompletion(
  head: CompletionHead,
  { content, reasoning, annotations, calls, usage, finishReason }: Finished,
) {
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && calls.length > 0 ? null : content,
          refusal: null,
          annotations,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  }
}

/** Content of a streamed chunk. */
export interface Delta {
  role?: 'assistant'
  content?: string
  reasoning_content?: string
  annotations?: Annotation[]
  tool_calls?: (ReturnType<typeof wireCall> & { index: number })[]
}

/** The piece that tells what is to be called. */
export function callsDelta(calls: ProgramCall[]): Delta {
  return { tool_calls: calls.map((call, index) => ({ index, ...wireCall(call) })) }
}

/** A piece of a streamed answer. */
export function completionChunk(head: CompletionHead, delta: Delta, finishReason: FinishReason | null = null) {
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  }
}

/** The piece after the last one that tells what an answer took. */
export function usageChunk(head: CompletionHead, usage: Usage) {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(usage) }
}
