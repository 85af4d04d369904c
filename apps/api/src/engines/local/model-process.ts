// Runs one local model in a separate process: native code may crash or leak memory, and loading takes seconds.

import {
  type DynamicCache,
  InterruptableStoppingCriteria,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  RawImage,
  Tensor,
  TextStreamer,
} from '@huggingface/transformers'
import type { TaskContext } from '../../platform/sandbox/process-protocol.ts'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { loadModel, type ModelToRun, unitRows } from './load-model.ts'

/** Input of a chat model. */
interface ChatInput {
  model: ModelToRun
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[]
  /** Maximum tokens of question and answer together. */
  contextTokens: number
  maxNewTokens: number
  /** Sampling temperature; greedy when left out. */
  temperature?: number | undefined
}

/** Outcome of an answer; `isTooLong` when the question leaves no room for one. */
interface ChatOutcome {
  isTooLong: boolean
  inputTokens: number
  outputTokens: number
}

/** Maximum tokens of a question read at once, since models compute logits over their whole vocabulary for each token. */
const READ_AT_ONCE_TOKENS = 256
/** Minimum remaining tokens for an answer. */
const MIN_ANSWER_TOKENS = 64

/** Streams an answer; ends early when nobody waits for it any more. */
async function writeAnswer(
  { model: modelToRun, messages, contextTokens, maxNewTokens, temperature }: ChatInput,
  { signal, emit }: TaskContext<string>,
): Promise<ChatOutcome> {
  const { chat } = await loadModel(modelToRun)
  if (chat === undefined) throw new TypeError(`${modelToRun.id} does not chat.`)
  const { tokenizer, model } = chat
  const inputs = tokenizer.apply_chat_template(messages, {
    add_generation_prompt: true,
    return_dict: true,
  }) as ChatTokens
  const inputTokens = inputs.input_ids.dims.at(-1) ?? 0
  const remainingTokens = contextTokens - inputTokens
  if (remainingTokens < MIN_ANSWER_TOKENS) return { isTooLong: true, inputTokens, outputTokens: 0 }

  const stop = new InterruptableStoppingCriteria()
  signal.addEventListener('abort', () => stop.interrupt())
  const past = await prefill(model, inputs, signal)
  signal.throwIfAborted()
  let lastWrite = Promise.resolve()
  const streamer = new TextStreamer(tokenizer, {
    skip_prompt: true,
    skip_special_tokens: true,
    callback_function: (text: string) => {
      lastWrite = lastWrite.then(() => emit(text))
    },
  })
  const output = (await model.generate({
    ...inputs,
    ...(past === null ? {} : { past_key_values: past }),
    max_new_tokens: Math.min(remainingTokens, maxNewTokens),
    ...(temperature === undefined || temperature === 0 ? { do_sample: false } : { do_sample: true, temperature }),
    streamer,
    stopping_criteria: stop,
  } as never)) as Tensor
  await lastWrite
  return { isTooLong: false, inputTokens, outputTokens: (output.dims.at(-1) ?? inputTokens) - inputTokens }
}

type ChatTokens = ReturnType<PreTrainedTokenizer['_call']> & { input_ids: Tensor; attention_mask: Tensor }

/** Reads a long question into the model's cache in chunks, except for the last chunk; null for a short question. */
async function prefill(model: PreTrainedModel, inputs: ChatTokens, signal: AbortSignal): Promise<DynamicCache | null> {
  const tokens = inputs.input_ids.dims.at(-1) ?? 0
  let past: DynamicCache | null = null
  for (let end = READ_AT_ONCE_TOKENS; end < tokens && !signal.aborted; end += READ_AT_ONCE_TOKENS) {
    const generationInputs = {
      input_ids: inputs.input_ids.slice(null, [0, end]),
      attention_mask: inputs.attention_mask.slice(null, [0, end]),
      ...(past === null ? {} : { past_key_values: past }),
    }
    const output = await model.generate({
      ...generationInputs,
      max_new_tokens: 1,
      do_sample: false,
      return_dict_in_generate: true,
    } as never)
    past = (output as { past_key_values: DynamicCache }).past_key_values
  }
  return past
}

/** Transcript of one window of sound; times are seconds from its start. */
interface WindowTranscript {
  text: string
  language: string | null
  segments: { start: number; end: number; text: string }[]
}

interface Chunk {
  text: string
  timestamp: [number, number | null]
}

/** Parts of the pipeline that are needed to detect the language, which the pipeline itself doesn't do. */
interface WhisperParts {
  processor(samples: Float32Array): Promise<{ input_features: Tensor }>
  model: {
    (inputs: { input_features: Tensor; decoder_input_ids: Tensor }): Promise<{ logits: Tensor }>
    generation_config?: { lang_to_id?: Record<string, number>; decoder_start_token_id?: number }
  }
}

/**
 * Transcribes a window.
 * @param input.samples at most 30 seconds, 16 kHz, from -1 to 1.
 * @param input.language ISO 639-1; detected when left out.
 */
async function transcribeWindow(input: {
  model: ModelToRun
  samples: Float32Array
  language?: string | undefined
}): Promise<WindowTranscript> {
  const { whisper } = await loadModel(input.model)
  if (whisper === undefined) throw new TypeError(`${input.model.id} transcribes no speech.`)
  const language = input.language ?? (await detectLanguage(whisper as unknown as WhisperParts, input.samples))
  const output = await whisper(input.samples, {
    ...(language === null ? {} : { language, task: 'transcribe' }),
    return_timestamps: true,
  })
  const { text, chunks = [] } = [output].flat()[0] as { text: string; chunks?: Chunk[] }
  const seconds = input.samples.length / 16_000
  const segments = chunks.map(({ text: words, timestamp: [start, end] }) => ({
    start,
    end: end ?? seconds,
    text: words.trim(),
  }))
  return { text: text.trim(), language, segments }
}

/** The language whose token the model considers the likeliest first token; null when the model knows only one language. */
async function detectLanguage({ processor, model }: WhisperParts, samples: Float32Array): Promise<string | null> {
  const { lang_to_id: languages = {}, decoder_start_token_id: start } = model.generation_config ?? {}
  const languageTokens = Object.entries(languages)
  if (languageTokens.length === 0 || start === undefined) return null
  const { input_features } = await processor(samples)
  const first = new Tensor('int64', BigInt64Array.from([BigInt(start)]), [1, 1])
  const { logits } = await model({ input_features, decoder_input_ids: first })
  const scores = logits.data as Float32Array
  const scoreOf = ([, id]: [string, number]) => scores[id] ?? Number.NEGATIVE_INFINITY
  const likeliest = languageTokens.reduce((best, token) => (scoreOf(token) > scoreOf(best) ? token : best))
  return likeliest[0].replaceAll(/[<|>]/g, '')
}

/** Vectors of a model, whose field depends on the model family. */
interface Output {
  image_embeds?: { data: unknown; dims: number[] }
  text_embeds?: { data: unknown; dims: number[] }
  pooler_output?: { data: unknown; dims: number[] }
}

const vectorsOf = ({ image_embeds, text_embeds, pooler_output }: Output) => {
  const vectors = image_embeds ?? text_embeds ?? pooler_output
  if (vectors === undefined) throw new TypeError('The model gives no vectors.')
  return unitRows(vectors)
}

async function loadImageAndText(model: ModelToRun) {
  const { imageAndText } = await loadModel(model)
  if (imageAndText === undefined) throw new TypeError(`${model.id} compares no pictures.`)
  return imageAndText
}

/** One vector of length 1 for each picture. @param input.pictures files that sharp can decode. */
async function comparePictures(input: { model: ModelToRun; pictures: Uint8Array[] }): Promise<Float32Array[]> {
  const { processor, pictures } = await loadImageAndText(input.model)
  const read = await Promise.all(input.pictures.map(readPicture))
  return vectorsOf((await pictures(await processor(read))) as Output)
}

/** One vector of length 1 for each text, near those of pictures that the text describes. */
async function comparePictureTexts(input: { model: ModelToRun; texts: string[] }): Promise<Float32Array[]> {
  const { tokenizer, texts } = await loadImageAndText(input.model)
  // SigLIP was trained only on texts padded to one length.
  const padding = input.model.family === 'siglip' ? 'max_length' : true
  return vectorsOf((await texts(tokenizer(input.texts, { padding, truncation: true }))) as Output)
}

async function readPicture(picture: Uint8Array): Promise<RawImage> {
  return (await RawImage.read(new Blob([new Uint8Array(picture)]))).rgb()
}

const MAX_TOKENS = 128
const FLORENCE_TASK = '<DETAILED_CAPTION>'

/** A sentence or two about a picture, in English; '' when the model has none. */
async function describePicture(input: { model: ModelToRun; picture: Uint8Array }): Promise<string> {
  const { florence2, imageToText } = await loadModel(input.model)
  const picture = await readPicture(input.picture)
  if (imageToText !== undefined) {
    const output = await imageToText(picture, { max_new_tokens: MAX_TOKENS } as never)
    return [output].flat(2)[0]?.generated_text ?? ''
  }
  if (florence2 === undefined) throw new TypeError(`${input.model.id} describes no pictures.`)
  const { processor, model } = florence2
  // A fixed task token of the model: nothing in the picture can change it.
  const inputs = await processor(picture, processor.construct_prompts(FLORENCE_TASK))
  const ids = await model.generate({ ...inputs, max_new_tokens: MAX_TOKENS })
  const [text = ''] = processor.batch_decode(ids as never, { skip_special_tokens: false })
  const parsedOutput = processor.post_process_generation(text, FLORENCE_TASK, [picture.width, picture.height])[
    FLORENCE_TASK
  ]
  return typeof parsedOutput === 'string' ? parsedOutput.replaceAll(/<\/?(s|pad|unk)>/g, '').trim() : ''
}

/** One score for each text: how well it answers the query. */
async function scoreTexts(input: { model: ModelToRun; query: string; texts: string[] }): Promise<number[]> {
  const { crossEncoder } = await loadModel(input.model)
  if (crossEncoder === undefined) throw new TypeError(`${input.model.id} puts no texts into order.`)
  const queries = input.texts.map(() => input.query)
  const pairs = crossEncoder.tokenizer(queries, { text_pair: input.texts, padding: true, truncation: true })
  const { logits } = (await crossEncoder.model(pairs)) as { logits: { data: unknown; dims: number[] } }
  const scores = Array.from(logits.data as Float32Array)
  // Of two logits, the second one stands for a match.
  const width = logits.dims.at(-1) ?? 1
  return input.texts.map((_text, row) => scores[row * width + width - 1] ?? Number.NaN)
}

/** One vector of length 1 for each text. */
async function embedTexts({ model, texts }: { model: ModelToRun; texts: string[] }): Promise<Float32Array[]> {
  const { sentence } = await loadModel(model)
  if (sentence === undefined) throw new TypeError(`${model.id} embeds no texts.`)
  return unitRows(await sentence(texts, { pooling: 'mean', normalize: true }))
}

const tasks = {
  /** Loads the model ahead of other tasks, which load it on demand. */
  load: async (model: ModelToRun): Promise<null> => {
    await loadModel(model)
    return null
  },
  embedTexts,
  scoreTexts,
  comparePictures,
  comparePictureTexts,
  describePicture,
  transcribeWindow,
  writeAnswer,
}

export type ModelTasks = typeof tasks

serveTasks(tasks)
