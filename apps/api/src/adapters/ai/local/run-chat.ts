import {
  type DynamicCache,
  InterruptableStoppingCriteria,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  type Tensor,
  TextStreamer,
} from '@huggingface/transformers'
import type { TaskContext } from '../../process/process-protocol.ts'
import { loadModel, type ModelToRun } from './run-load.ts'

/** Input of a chat model. */
export interface ChatInput {
  model: ModelToRun
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[]
  /** Maximum tokens of question and answer together. */
  contextTokens: number
  mostNewTokens: number
  /** Sampling temperature; greedy when left out. */
  temperature?: number | undefined
}

/** End of an answer; `isTooLong` when the question leaves no room for one. */
export interface ChatOutcome {
  isTooLong: boolean
  inputTokens: number
  outputTokens: number
}

/** So many tokens of a question are read at once: for each of them, models tell how likely every word is that they know. */
const READ_AT_ONCE_TOKENS = 256
/** Minimum remaining tokens for an answer. */
const LEAST_ANSWER_TOKENS = 64

/** Writes an answer, handing it over word by word; ends early when nobody waits for it any more. */
export async function writeAnswer(
  { model: toRun, messages, contextTokens, mostNewTokens, temperature }: ChatInput,
  { signal, emit }: TaskContext<string>,
): Promise<ChatOutcome> {
  const { chat } = await loadModel(toRun)
  if (chat === undefined) throw new TypeError(`${toRun.id} does not chat.`)
  const { tokenizer, model } = chat
  const asked = tokenizer.apply_chat_template(messages, { add_generation_prompt: true, return_dict: true }) as Asked
  const inputTokens = asked.input_ids.dims.at(-1) ?? 0
  const room = contextTokens - inputTokens
  if (room < LEAST_ANSWER_TOKENS) return { isTooLong: true, inputTokens, outputTokens: 0 }

  const stop = new InterruptableStoppingCriteria()
  signal.addEventListener('abort', () => stop.interrupt())
  const past = await read(model, asked, signal)
  signal.throwIfAborted()
  let sent = Promise.resolve()
  const streamer = new TextStreamer(tokenizer, {
    skip_prompt: true,
    skip_special_tokens: true,
    callback_function: (text: string) => {
      sent = sent.then(() => emit(text))
    },
  })
  const made = (await model.generate({
    ...asked,
    ...(past === null ? {} : { past_key_values: past }),
    max_new_tokens: Math.min(room, mostNewTokens),
    ...(temperature === undefined || temperature === 0 ? { do_sample: false } : { do_sample: true, temperature }),
    streamer,
    stopping_criteria: stop,
  } as never)) as Tensor
  await sent
  return { isTooLong: false, inputTokens, outputTokens: (made.dims.at(-1) ?? inputTokens) - inputTokens }
}

type Asked = ReturnType<PreTrainedTokenizer['_call']> & { input_ids: Tensor; attention_mask: Tensor }

/** Reads all of a long question but its end, a stretch after the other; null when there is no need. */
async function read(model: PreTrainedModel, asked: Asked, signal: AbortSignal): Promise<DynamicCache | null> {
  const tokens = asked.input_ids.dims.at(-1) ?? 0
  let past: DynamicCache | null = null
  for (let end = READ_AT_ONCE_TOKENS; end < tokens && !signal.aborted; end += READ_AT_ONCE_TOKENS) {
    const given = {
      input_ids: asked.input_ids.slice(null, [0, end]),
      attention_mask: asked.attention_mask.slice(null, [0, end]),
      ...(past === null ? {} : { past_key_values: past }),
    }
    const made = await model.generate({
      ...given,
      max_new_tokens: 1,
      do_sample: false,
      return_dict_in_generate: true,
    } as never)
    past = (made as { past_key_values: DynamicCache }).past_key_values
  }
  return past
}
