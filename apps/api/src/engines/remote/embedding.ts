import { cutText } from '@mira/shared/constants/cut-text'
import { APIError } from 'openai/core/error'
import { EngineError } from '../../errors.ts'
import { type Sentence, say } from '../../sentences.ts'
import { prefixed } from '../embedding/embedding-prefixes.ts'
import type { Embedder } from '../engine-types.ts'
import { type CallOptions, callRemote } from './call.ts'
import type { Connection } from './connection.ts'
import { contextWords, lacksAbility, rejectsParameter, serverMessageOf } from './errors.ts'
import type { ModelRole } from './role.ts'

const longInputWords = /(input|text|tokens?|sequence|prompt)\b.{0,40}(too (large|long)|less than|exceed|longer than)/i

/** A server's refusal of too much input at once. */
interface InputLimit {
  /** Share of the longest text that the server would accept; null when not stated. */
  share: number | null
  /** True for too many texts, false for texts that are too long. */
  isTooMany: boolean
  /** Number of texts that the server accepts at once; null when not stated. */
  max: number | null
}

/** Refusals of too many texts at once by DashScope, Google, Cohere, Mistral, Voyage, TEI and others. */
const tooManyWords = [
  /batch.?size.{0,60}(maximum|max\b|limit|allowed|larger|greater|exceed|invalid|too (large|big))/i,
  /too many (inputs|texts|documents|items|strings|requests in)/i,
  /(at most|more than|maximum( of)?|up to|limit of|exceeds?) \d+ (inputs|texts|documents|items|strings|requests|elements|contents)/i,
  /(number of|input array|array length|list length|(inputs|texts|documents|items)\b).{0,30}(at most|no more than|must be less|exceed|too long|too large|maximum)/i,
  /requests? can be in one batch/i,
]
/** Words before the number of texts that such a refusal allows, and that number. */
const maxTextsWords =
  /(?:larger than|greater than|at most|more than|maximum(?: allowed)?(?: batch size)?(?: is| of|:)?|limit(?: is| of|:)?|up to|max:?) ?(\d{1,4})\b/i

/** Reads a refusal of too much text; null for other failures. */
export function readInputLimit(error: unknown): InputLimit | null {
  if (!(error instanceof APIError) || ![400, 413, 422, 500].includes(error.status ?? 0)) return null
  const message = serverMessageOf(error)
  // llama.cpp counts its "physical batch size" in tokens.
  if (!/tokens?\b|physical/i.test(message) && tooManyWords.some((words) => words.test(message))) {
    const max = maxTextsWords.exec(message)?.[1]
    return { share: null, isTooMany: true, max: max === undefined ? null : Number(max) }
  }
  const isTooLong = contextWords.test(message) || longInputWords.test(message)
  if (!isTooLong && error.status !== 413) return null
  // llama.cpp: "input (4801 tokens) is too large to process. … (current batch size: 512)"
  const [sent, max] = [/input \((\d+) tokens\)/i.exec(message)?.[1], /batch size: (\d+)/i.exec(message)?.[1]]
  return { share: sent && max ? Number(max) / Number(sent) : null, isTooMany: false, max: null }
}

/** True for failures that one of the texts may have caused: no vector, NaN, a crash of the tokenizer. */
function failsOnText(error: unknown): boolean {
  // A response with NaN isn't valid JSON.
  if (error instanceof SyntaxError) return true
  if (error instanceof EngineError) return error.code === 'useless_vectors'
  if (!(error instanceof APIError) || ![400, 422, 500].includes(error.status ?? 0)) return false
  return !lacksAbility(error, serverMessageOf(error))
}

const MAX_TEXTS = 64
/** Longest text sent at first: about 8 000 tokens. */
const MAX_CHARACTERS = 24_000
const MIN_CHARACTERS = 100
/** Margin for token limits, which don't translate exactly into characters. */
const SAFETY_FACTOR = 0.9
/** Short, since a user is waiting for the search, which also works without the question's vector. */
const QUERY_TIMEOUT_MS = 10_000
/** Text that every model accepts, to tell a bad text from a broken server. */
const HARMLESS_TEXT = 'The weather is fine today.'

/** Embeds texts with the embedding model; learns how much the server accepts at once. */
export function createRemoteEmbedder(connection: Connection, role: ModelRole): Embedder {
  const { client, address, callTimeoutMs, log } = connection
  let usesBase64 = true
  let maxTexts = MAX_TEXTS
  /** Longest text that each model accepts, in characters. */
  const maxCharactersOf = new Map<string, number>()
  const dimensionsOf = new Map<string, number>()

  const cut = (text: string, model: string) =>
    cutText(text, maxCharactersOf.get(model) ?? MAX_CHARACTERS).toWellFormed()

  /** Number of texts to send together, at least one. */
  const batchSize = (texts: string[], model: string): number => {
    let characters = 0
    const end = texts.slice(0, maxTexts).findIndex((text) => {
      characters += cut(text, model).length
      return characters > MAX_CHARACTERS
    })
    return end === -1 ? Math.min(texts.length, maxTexts) : Math.max(end, 1)
  }

  const askOnce = async (texts: string[], model: string, signal: AbortSignal): Promise<number[][] | InputLimit> => {
    const input = texts.map((text) => cut(text, model))
    const { embeddings } = await client()
    const ask = () => embeddings.create({ model, input, encoding_format: usesBase64 ? 'base64' : 'float' }, { signal })
    try {
      const response = await ask().catch((error: unknown) => {
        if (!usesBase64 || !rejectsParameter(error, /encoding_format|base64/i)) throw error
        usesBase64 = false
        return ask()
      })
      return readVectors(response.data, texts.length, address)
    } catch (error) {
      const refusal = readInputLimit(error)
      if (refusal === null) throw error
      return refusal
    }
  }

  /** Lowers the limits for the next attempt; false when they can't be lower. */
  const shrink = ({ share, isTooMany, max }: InputLimit, texts: string[], model: string): boolean => {
    const longestSent = Math.max(...texts.map((text) => cut(text, model).length))
    if (texts.length > 1 && (isTooMany || longestSent <= MIN_CHARACTERS)) {
      maxTexts = max !== null && max > 0 && max < texts.length ? max : Math.floor(texts.length / 2)
      return true
    }
    if (longestSent <= MIN_CHARACTERS) return false
    const newMaxCharacters = Math.floor(
      longestSent * (share === null ? 0.5 : Math.min(share * SAFETY_FACTOR, SAFETY_FACTOR)),
    )
    maxCharactersOf.set(model, Math.max(newMaxCharacters, MIN_CHARACTERS))
    log.info({ model, characters: maxCharactersOf.get(model) }, 'the embedding model only accepts shorter texts')
    return true
  }

  const rememberDimensions = (model: string, dimensions: number) => {
    const before = dimensionsOf.get(model)
    dimensionsOf.set(model, dimensions)
    if (before === undefined || before === dimensions) return
    throw modelChangedError(say('vectors_resized', { model, now: dimensions, before }))
  }

  return {
    engine: 'remote',
    model: role.model,
    async embed(texts, purpose, signal, { skipsRefused = false } = {}) {
      const base = { connection, role, signal, capability: 'embedding' as const }
      const options: CallOptions =
        purpose === 'query'
          ? { ...base, timeoutMs: Math.min(QUERY_TIMEOUT_MS, callTimeoutMs), maxRetries: 0 }
          : { ...base, timeoutMs: callTimeoutMs }
      const vectors: number[][] = []
      let usedModel = await role.requireModel()
      /** Reduced while searching for the text that the model fails on. */
      let textsAtOnce = maxTexts
      let hasSucceeded = false
      const isolateBadText = async (batch: string[], model: string, callSignal: AbortSignal) => {
        if (batch.length > 1) {
          textsAtOnce = Math.floor(batch.length / 2)
          return
        }
        if (!hasSucceeded) {
          const result = await askOnce([HARMLESS_TEXT], model, callSignal)
          if (Array.isArray(result)) rememberDimensions(model, result[0]?.length ?? 0)
        }
        hasSucceeded = true
        log.warn({ model, characters: batch[0]?.length }, 'the embedding model fails on a text, which is skipped')
        vectors.push([])
      }
      while (vectors.length < texts.length) {
        await callRemote(options, async (model, callSignal) => {
          // The list of models may change at any time, and vectors of two models can't be mixed.
          if (vectors.length > 0 && model !== usedModel)
            throw modelChangedError(say('vectors_of_other_model', { model }))
          usedModel = model
          const next = texts.slice(vectors.length, vectors.length + Math.min(maxTexts, textsAtOnce))
          const batchTexts = next.map((text) => prefixed(text, purpose, model))
          const batch = batchTexts.slice(0, batchSize(batchTexts, model))
          const result = await askOnce(batch, model, callSignal).catch((error: unknown) => {
            if (!skipsRefused || callSignal.aborted || !failsOnText(error)) throw error
            return null
          })
          if (result === null) {
            await isolateBadText(batch, model, callSignal)
          } else if (Array.isArray(result)) {
            rememberDimensions(model, result[0]?.length ?? 0)
            vectors.push(...result)
            hasSucceeded = true
            textsAtOnce *= 2
          } else if (!shrink(result, batch, model)) {
            throw new EngineError(say('text_refused', { model }), {
              code: 'context_too_long',
              isPermanent: true,
            })
          }
        })
      }
      return { vectors, model: usedModel, dimensions: dimensionsOf.get(usedModel) ?? 0 }
    },
  }
}

/** Error that makes the caller start over with the new model. */
function modelChangedError(sentence: Sentence): EngineError {
  return new EngineError(sentence, { code: 'embedding_model_changed' })
}

/** Vectors of a response in the order of the texts, normalised to length 1. @throws EngineError when they're invalid. */
function readVectors(data: unknown, count: number, address: string): number[][] {
  const invalidVectorsError = (reason: string) =>
    new EngineError(say('vectors_useless', { address, said: reason }), { code: 'useless_vectors' })
  const entries = (Array.isArray(data) ? data : []) as { index?: unknown; embedding?: unknown }[]
  if (entries.length !== count) throw invalidVectorsError(`${entries.length} for ${count} texts`)
  const ordered = entries.every(({ index }) => Number.isInteger(index))
    ? entries.toSorted((one, other) => Number(one.index) - Number(other.index))
    : entries
  const vectors = ordered.map(({ embedding }) => {
    const numbers = typeof embedding === 'string' ? fromBase64(embedding) : embedding
    if (!Array.isArray(numbers) || numbers.length === 0) throw invalidVectorsError('one is empty')
    const length = Math.hypot(...(numbers as number[]))
    if (!Number.isFinite(length) || length === 0) throw invalidVectorsError('one has no direction')
    return (numbers as number[]).map((number) => number / length)
  })
  if (new Set(vectors.map(({ length }) => length)).size > 1) throw invalidVectorsError('they differ in length')
  return vectors
}

function fromBase64(text: string): number[] {
  const { buffer, byteOffset, length } = Buffer.from(text, 'base64')
  // A copy, because floats must be aligned to their size.
  return Array.from(new Float32Array(buffer.slice(byteOffset, byteOffset + length - (length % 4))))
}
