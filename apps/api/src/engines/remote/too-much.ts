import { APIError } from 'openai/core/error'
import { EngineError } from '../../errors.ts'
import { contextWords, lacksAbility, saidIn } from './errors.ts'

const longInputWords = /(input|text|tokens?|sequence|prompt)\b.{0,40}(too (large|long)|less than|exceed|longer than)/i

/** A server's refusal of too much input at once. */
export interface TooMuch {
  /** The part of the longest text that it would take, when it told. */
  share: number | null
  /** True for too many texts, false for too long ones. */
  isTooMany: boolean
  /** Texts that it takes at once, when it said so. */
  max: number | null
}

/** Refusals of too many texts at once, in the words of DashScope, Google, Cohere, Mistral, Voyage, TEI and others. */
const tooManyWords = [
  /batch.?size.{0,60}(maximum|max\b|limit|allowed|larger|greater|exceed|invalid|too (large|big))/i,
  /too many (inputs|texts|documents|items|strings|requests in)/i,
  /(at most|more than|maximum( of)?|up to|limit of|exceeds?) \d+ (inputs|texts|documents|items|strings|requests|elements|contents)/i,
  /(number of|input array|array length|list length|(inputs|texts|documents|items)\b).{0,30}(at most|no more than|must be less|exceed|too long|too large|maximum)/i,
  /requests? can be in one batch/i,
]
/** The number of texts that such a refusal allows. */
const mostTextsWords =
  /(?:larger than|greater than|at most|more than|maximum(?: allowed)?(?: batch size)?(?: is| of|:)?|limit(?: is| of|:)?|up to|max:?) ?(\d{1,4})\b/i

/** Reads a refusal of too much text; null when the failure is another one. */
export function readTooMuch(error: unknown): TooMuch | null {
  if (!(error instanceof APIError) || ![400, 413, 422, 500].includes(error.status ?? 0)) return null
  const said = saidIn(error)
  // "physical batch size" of llama.cpp is counted in tokens
  if (!/tokens?\b|physical/i.test(said) && tooManyWords.some((words) => words.test(said))) {
    const max = mostTextsWords.exec(said)?.[1]
    return { share: null, isTooMany: true, max: max === undefined ? null : Number(max) }
  }
  const isTooLong = contextWords.test(said) || longInputWords.test(said)
  if (!isTooLong && error.status !== 413) return null
  // llama.cpp: "input (4801 tokens) is too large to process. … (current batch size: 512)"
  const [given, max] = [/input \((\d+) tokens\)/i.exec(said)?.[1], /batch size: (\d+)/i.exec(said)?.[1]]
  return { share: given && max ? Number(max) / Number(given) : null, isTooMany: false, max: null }
}

/** True for failures that one of the texts may have caused: no vector, NaN, a crash of the tokenizer. */
export function failsOnText(error: unknown): boolean {
  // NaN isn't JSON
  if (error instanceof SyntaxError) return true
  if (error instanceof EngineError) return error.code === 'useless_vectors'
  if (!(error instanceof APIError) || ![400, 422, 500].includes(error.status ?? 0)) return false
  return !lacksAbility(error, saidIn(error))
}
