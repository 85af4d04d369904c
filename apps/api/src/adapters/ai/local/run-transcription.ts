import { Tensor } from '@huggingface/transformers'
import { loadModel, type ModelToRun } from './run-load.ts'

/** Transcript of one window of sound; times are seconds from its start. */
export interface WindowTranscript {
  text: string
  language: string | null
  segments: { start: number; end: number; text: string }[]
}

interface Chunk {
  text: string
  timestamp: [number, number | null]
}

/** The parts of the pipeline that find out the language, which it does not do by itself. */
interface WhisperParts {
  processor(samples: Float32Array): Promise<{ input_features: Tensor }>
  model: {
    (inputs: { input_features: Tensor; decoder_input_ids: Tensor }): Promise<{ logits: Tensor }>
    generation_config?: { lang_to_id?: Record<string, number>; decoder_start_token_id?: number }
  }
}

/**
 * Writes down what is said in a window.
 * @param input.samples at most 30 seconds, 16 kHz, from -1 to 1.
 * @param input.language ISO 639-1; found out from the sound when it is left out.
 */
export async function transcribeWindow(input: {
  model: ModelToRun
  samples: Float32Array
  language?: string | undefined
}): Promise<WindowTranscript> {
  const { whisper } = await loadModel(input.model)
  if (whisper === undefined) throw new TypeError(`${input.model.id} transcribes no speech.`)
  const language = input.language ?? (await findLanguage(whisper as unknown as WhisperParts, input.samples))
  const made = await whisper(input.samples, {
    ...(language === null ? {} : { language, task: 'transcribe' }),
    return_timestamps: true,
  })
  const { text, chunks = [] } = [made].flat()[0] as { text: string; chunks?: Chunk[] }
  const seconds = input.samples.length / 16_000
  const segments = chunks.map(({ text: said, timestamp: [start, end] }) => ({
    start,
    end: end ?? seconds,
    text: said.trim(),
  }))
  return { text: text.trim(), language, segments }
}

/** The language whose mark the model finds the likeliest as its first word; null when it knows only one. */
async function findLanguage({ processor, model }: WhisperParts, samples: Float32Array): Promise<string | null> {
  const { lang_to_id: languages = {}, decoder_start_token_id: start } = model.generation_config ?? {}
  const marks = Object.entries(languages)
  if (marks.length === 0 || start === undefined) return null
  const { input_features } = await processor(samples)
  const first = new Tensor('int64', BigInt64Array.from([BigInt(start)]), [1, 1])
  const { logits } = await model({ input_features, decoder_input_ids: first })
  const likely = logits.data as Float32Array
  const likelihoodOf = ([, id]: [string, number]) => likely[id] ?? Number.NEGATIVE_INFINITY
  const best = marks.reduce((one, other) => (likelihoodOf(other) > likelihoodOf(one) ? other : one))
  return best[0].replaceAll(/[<|>]/g, '')
}
