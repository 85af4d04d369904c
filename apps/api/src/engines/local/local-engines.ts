import { cutText } from '@mira/shared/constants/cut-text'
import { EngineError } from '../../errors.ts'
import { openWav } from '../../parsers/audio/wav.ts'
import { say } from '../../sentences.ts'
import { prefixed } from '../embedding/embedding-prefixes.ts'
import type { Captioner, Embedder, ImageEmbedder, Reranker, Segment, Transcriber } from '../engine-types.ts'
import { readCaption } from '../remote/caption.ts'
import { isSilent, LOCAL_PIECE_SECONDS, MIN_REST_SECONDS, nextPiece } from '../speech/sound-pieces.ts'
import { mainLanguage, type PieceTranscript, placeSegments } from '../speech/transcript.ts'
import type { LocalRunner } from './local-runner.ts'

const MINUTE = 60_000

/** Small batches, so that a user's question waits for only one of them. */
const BATCH_TEXTS = 8
const BATCH_PICTURES = 4
/** Rerankers read roughly this much of each text. */
const RERANKED_CHARACTERS = 2_000
const SAMPLE_SCALE = 32_768

const asEmbeddings = (vectors: Float32Array[], model: string) => ({
  vectors: vectors.map((vector) => Array.from(vector)),
  model,
  dimensions: vectors[0]?.length ?? 0,
})

/** Embeds in batches, starting over when the model changes in between: vectors of two models can't be mixed. */
const inBatches = async <Input>(
  inputs: Input[],
  size: number,
  run: (batch: Input[]) => Promise<{ result: Float32Array[]; model: string }>,
) => {
  const vectors: Float32Array[] = []
  let model: string | undefined
  for (let start = 0; start < inputs.length; start += size) {
    const batch = await run(inputs.slice(start, start + size))
    if (model !== undefined && batch.model !== model) return inBatches(inputs, size, run)
    model = batch.model
    vectors.push(...batch.result)
  }
  return asEmbeddings(vectors, model ?? '')
}

/** Embeds texts with the runner's model. */
export const embedderOn = (runner: LocalRunner, modelId: () => string): Embedder => ({
  engine: 'local',
  model: modelId,
  embed: (texts, purpose, signal) =>
    inBatches(texts, BATCH_TEXTS, (batch) =>
      runner.run(
        'embedTexts',
        (model) => ({ model, texts: batch.map((text) => prefixed(text, purpose, model.id).toWellFormed()) }),
        { signal, timeoutMs: MINUTE, isUrgent: purpose === 'query', isShort: true },
      ),
    ),
})

/** Embeds pictures, and texts that are compared with them. */
export const imageEmbedderOn = (runner: LocalRunner, modelId: () => string): ImageEmbedder => ({
  engine: 'local',
  model: modelId,
  embedPictures: (pictures, signal) =>
    inBatches(pictures, BATCH_PICTURES, (batch) =>
      runner.run('comparePictures', (model) => ({ model, pictures: batch }), {
        signal,
        timeoutMs: 2 * MINUTE,
        isShort: true,
      }),
    ),
  embedTexts: (texts, signal) =>
    inBatches(texts, BATCH_TEXTS, (batch) =>
      runner.run('comparePictureTexts', (model) => ({ model, texts: batch.map((text) => text.toWellFormed()) }), {
        signal,
        timeoutMs: MINUTE,
        isUrgent: true,
        isShort: true,
      }),
    ),
})

export const rerankerOn = (runner: LocalRunner, modelId: () => string): Reranker => ({
  engine: 'local',
  model: modelId,
  async rerank(query, documents, signal) {
    const texts = documents.map((text) => cutText(text, RERANKED_CHARACTERS).toWellFormed())
    const scores: number[] = []
    let usedModel = modelId()
    for (let start = 0; start < texts.length; start += BATCH_TEXTS) {
      const batch = texts.slice(start, start + BATCH_TEXTS)
      const { result, model } = await runner.run(
        'scoreTexts',
        (modelToRun) => ({
          model: modelToRun,
          query: cutText(query, RERANKED_CHARACTERS).toWellFormed(),
          texts: batch,
        }),
        { signal, timeoutMs: MINUTE, isUrgent: true, isShort: true },
      )
      if (!result.every(Number.isFinite) || (start > 0 && model !== usedModel)) {
        throw new EngineError(say('local_order_useless', { model }), { code: 'useless_order' })
      }
      usedModel = model
      scores.push(...result)
    }
    return { scores, model: usedModel }
  },
})

/** Describes a picture in a sentence. */
export const captionerOn = (runner: LocalRunner, modelId: () => string): Captioner => ({
  engine: 'local',
  model: modelId,
  async caption({ data }, { signal }) {
    const { result, model } = await runner.run(
      'describePicture',
      (modelToRun) => ({ model: modelToRun, picture: data }),
      {
        signal,
        timeoutMs: 5 * MINUTE,
      },
    )
    // These models only write English.
    return { text: readCaption(result), model, language: 'en' }
  },
})

/** Transcribes speech window by window. */
export const transcriberOn = (runner: LocalRunner, modelId: () => string): Transcriber => ({
  engine: 'local',
  model: modelId,
  async transcribe(filename, { language, signal, onProgress }) {
    await using wav = await openWav(filename)
    const segments: Segment[] = []
    const pieces: PieceTranscript[] = []
    let usedModel = modelId()
    for (let start = 0; start < wav.durationSeconds - MIN_REST_SECONDS; ) {
      signal.throwIfAborted()
      const { samples, seconds } = await nextPiece(wav, start, LOCAL_PIECE_SECONDS)
      if (!isSilent(samples)) {
        const sound = Float32Array.from(samples, (sample) => sample / SAMPLE_SCALE)
        const { result, model } = await runner.run(
          'transcribeWindow',
          (modelToRun) => ({ model: modelToRun, samples: sound, language: language ?? agreedLanguage(pieces) }),
          { signal, timeoutMs: 5 * MINUTE },
        )
        usedModel = model
        const piece = asPieceTranscript(result)
        pieces.push(piece)
        const isSilentFrom = (from: number, to: number) =>
          isSilent(samples.subarray(Math.max(0, Math.floor(from * wav.sampleRate)), Math.ceil(to * wav.sampleRate)))
        segments.push(...placeSegments(piece, { start, seconds }, isSilentFrom))
      }
      start += seconds
      onProgress?.(Math.min(start / wav.durationSeconds, 1))
    }
    return { segments, language: mainLanguage(pieces), model: usedModel }
  },
})

/** Language of a recording once two consecutive windows agree: detection takes half as long as transcription. */
function agreedLanguage(pieces: PieceTranscript[]): string | undefined {
  const [last, before] = [pieces.at(-1)?.language, pieces.at(-2)?.language]
  return last != null && last === before ? last : undefined
}

/** A local transcript in the form of other engines; the model reports no confidence. */
function asPieceTranscript({
  text,
  language,
  segments,
}: {
  text: string
  language: string | null
  segments: { start: number; end: number; text: string }[]
}): PieceTranscript {
  return {
    text,
    language,
    segments:
      segments.length === 0
        ? null
        : segments.map((segment) => ({ ...segment, averageLogProbability: null, noSpeechProbability: null })),
  }
}
