import { z } from 'zod'

/** A text classifier as packed by `packIntents`. */
export const packedClassifierSchema = z.object({
  labels: z.array(z.string()).min(2),
  telling: z.array(z.number()),
  weights: z.string(),
})

/** A sentence with its label: the name of an agent, or NO_AGENT. */
export interface IntentExample {
  text: string
  label: string
  /** Weight in training, by default 1. */
  weight?: number
}

/** Label of sentences that aren't for an agent. */
export const NO_AGENT = 'none'

/** A trained classifier. Its features are hashes, so it contains no readable text of users. */
export interface IntentModel {
  labels: string[]
  /** Hashes of words that identify a label: at least half of the examples that contain them have that label. */
  telling: ReadonlySet<number>
  /** A row for each label: weights of all features, then the bias. */
  weights: Float32Array
}

/** A label with its probability for a sentence, 0 to 1. */
export interface IntentGuess {
  label: string
  probability: number
}

const BUCKETS = 1 << 13
const ROW_LENGTH = BUCKETS + 1
const EPOCHS = 15
const LEARNING_RATE = 0.3
const REGULARISATION = 3e-4
/** Feature value of the bias. */
const BIAS_VALUE = 0.2
const MIN_NGRAM = 3
const MAX_NGRAM = 4
/** Maximum length of the text that is read: its beginning states the request, and the rest is the subject. */
const READ_CHARACTERS = 300
/** Weight of whole words, relative to n-grams. */
const WORD_WEIGHT = 2
const SEED = 20_260_101
/** A word identifies an agent when this many examples contain it and at least this share of them means that agent. */
const TELLING_EXAMPLES = 2
const TELLING_SHARE = 0.5
/** A guess keeps this share of its probability when no word of the sentence identifies its label; NO_AGENT gets the rest. */
const UNSUPPORTED_SHARE = 0.3

/**
 * Trains a multinomial logistic regression over words, word pairs and character n-grams by stochastic gradient descent with
 * a step size for each weight (AdaGrad). The same examples give the same model, to the last bit.
 */
export function trainIntents(examples: readonly IntentExample[], epochs = EPOCHS): IntentModel {
  const labels = [...new Set(examples.map(({ label }) => label))].sort()
  const weights = new Float32Array(labels.length * ROW_LENGTH)
  const steps = new Float32Array(weights.length).fill(1e-6)
  const samples = examples.map(({ text, label, weight = 1 }) => ({
    features: featuresOf(text),
    target: labels.indexOf(label),
    weight,
  }))
  const model = { labels, telling: new Set(tellingWords(examples)), weights }
  const probabilities = new Float64Array(labels.length)
  const next = randomNumbers(SEED)
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(samples, next)
    for (const { features, target, weight } of samples) {
      softmax(scoresOf(model, features, probabilities))
      for (let row = 0; row < labels.length; row++) {
        const error = ((probabilities[row] ?? 0) - (row === target ? 1 : 0)) * weight
        if (Math.abs(error) < 1e-4) continue
        updateRow({ weights, steps }, row, error, features)
      }
    }
  }
  return model
}

/** Updates the weights of one label by the error of a guess. */
function updateRow(
  { weights, steps }: { weights: Float32Array; steps: Float32Array },
  row: number,
  error: number,
  { buckets, values }: Features,
): void {
  // The bias is learnt like a feature's weight.
  for (let index = 0; index <= buckets.length; index++) {
    const isBias = index === buckets.length
    const position = row * ROW_LENGTH + (isBias ? BUCKETS : (buckets[index] ?? 0))
    const gradient = error * (isBias ? BIAS_VALUE : (values[index] ?? 0)) + REGULARISATION * (weights[position] ?? 0)
    steps[position] = (steps[position] ?? 0) + gradient * gradient
    weights[position] = (weights[position] ?? 0) - (LEARNING_RATE * gradient) / Math.sqrt(steps[position] ?? 1)
  }
}

/** Guesses for a sentence, most likely first. */
export function guessIntent(model: IntentModel, text: string): IntentGuess[] {
  const probabilities = softmax(scoresOf(model, featuresOf(text), new Float64Array(model.labels.length)))
  const words = wordsOf(text)
  let unsupported = 0
  const guesses = model.labels.map((label, row) => {
    const probability = probabilities[row] ?? 0
    // "how long is it?" has the form of a question about the weather, but no word of one.
    if (label === NO_AGENT || words.some((word) => model.telling.has(tellingHash(label, word))))
      return { label, probability }
    unsupported += probability * (1 - UNSUPPORTED_SHARE)
    return { label, probability: probability * UNSUPPORTED_SHARE }
  })
  return guesses
    .map(({ label, probability }) => ({ label, probability: probability + (label === NO_AGENT ? unsupported : 0) }))
    .sort((a, b) => b.probability - a.probability)
}

/** Share of examples whose most likely label is right, 0 to 1; 0 without examples. */
export function intentAccuracy(model: IntentModel, examples: readonly IntentExample[]): number {
  const right = examples.filter(({ text, label }) => guessIntent(model, text)[0]?.label === label)
  return examples.length === 0 ? 0 : right.length / examples.length
}

/** A model as JSON. */
export interface PackedIntents {
  labels: string[]
  telling: number[]
  /** Base64. */
  weights: string
}

export function packIntents({ labels, telling, weights }: IntentModel): PackedIntents {
  return {
    labels,
    telling: [...telling],
    weights: Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString('base64'),
  }
}

/** Unpacks a model; null for one that was trained with another number of features. */
export function unpackIntents(packed: PackedIntents): IntentModel | null {
  const bytes = Buffer.from(packed.weights, 'base64')
  if (bytes.length !== packed.labels.length * ROW_LENGTH * Float32Array.BYTES_PER_ELEMENT) return null
  return {
    labels: packed.labels,
    telling: new Set(packed.telling),
    weights: new Float32Array(new Uint8Array(bytes).buffer),
  }
}

/** Hashed features: bucket numbers below BUCKETS, with values of norm 1. */
interface Features {
  buckets: Int32Array
  values: Float64Array
}

const WHOLE_WORD = hash('w ')
const WORD_PAIR = hash('p ')
const NGRAM = hash('c ')

function featuresOf(text: string): Features {
  const words = wordsOf(text)
  const weights = new Map<number, number>()
  const add = (hashed: number, value: number) => {
    const bucket = hashed % BUCKETS
    weights.set(bucket, (weights.get(bucket) ?? 0) + value)
  }
  for (const [index, word] of words.entries()) {
    add(continueHash(WHOLE_WORD, word), WORD_WEIGHT)
    add(continueHash(WORD_PAIR, `${words[index - 1] ?? '^'} ${word}`), WORD_WEIGHT)
    const padded = `_${word}_`
    for (let length = MIN_NGRAM; length <= MAX_NGRAM; length++) {
      for (let start = 0; start + length <= padded.length; start++) {
        add(continueHash(NGRAM, padded, start, start + length), 1)
      }
    }
  }
  const norm = Math.sqrt([...weights.values()].reduce((sum, value) => sum + value * value, 0)) || 1
  return {
    buckets: Int32Array.from(weights.keys()),
    values: Float64Array.from(weights.values(), (value) => value / norm),
  }
}

/** Lower-case words without accents, every number as 0, and signs of calculations. */
function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, READ_CHARACTERS)
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
      // Numbers are all alike.
      .replace(/\d+(?:[.,:]\d+)*/g, ' 0 ')
      .match(/\p{L}+|0|[%?+*/=^!]/gu) ?? []
  )
}

/** Hashes of words that identify an agent, with the agent's label. */
function tellingWords(examples: readonly IntentExample[]): number[] {
  const counts = new Map<string, Map<string, number>>()
  for (const { text, label } of examples) {
    for (const word of new Set(wordsOf(text))) {
      const byLabel = counts.get(word) ?? new Map<string, number>()
      counts.set(word, byLabel.set(label, (byLabel.get(label) ?? 0) + 1))
    }
  }
  return [...counts].flatMap(([word, byLabel]) => {
    const total = [...byLabel.values()].reduce((sum, count) => sum + count, 0)
    const [label, count] = [...byLabel].reduce((top, one) => (one[1] > top[1] ? one : top))
    const isTelling = label !== NO_AGENT && total >= TELLING_EXAMPLES && count / total >= TELLING_SHARE
    return isTelling ? [tellingHash(label, word)] : []
  })
}

function tellingHash(label: string, word: string): number {
  return hash(`${label}: ${word}`)
}

/** Writes the score of each label into `scores`. */
function scoresOf({ labels, weights }: IntentModel, { buckets, values }: Features, scores: Float64Array): Float64Array {
  for (let row = 0; row < labels.length; row++) {
    const begin = row * ROW_LENGTH
    let score = weights[begin + BUCKETS] ?? 0
    for (let index = 0; index < buckets.length; index++)
      score += (values[index] ?? 0) * (weights[begin + (buckets[index] ?? 0)] ?? 0)
    scores[row] = score
  }
  return scores
}

/** Converts scores to probabilities in place. */
function softmax(scores: Float64Array): Float64Array {
  let highest = Number.NEGATIVE_INFINITY
  for (const score of scores) highest = Math.max(highest, score)
  let sum = 0
  for (let row = 0; row < scores.length; row++) {
    const power = Math.exp((scores[row] ?? 0) - highest)
    scores[row] = power
    sum += power
  }
  for (let row = 0; row < scores.length; row++) scores[row] = (scores[row] ?? 0) / sum
  return scores
}

/** FNV-1a. */
export function hash(text: string): number {
  return continueHash(0x811c9dc5, text)
}

/** Continues a hash with part of a text. */
function continueHash(seed: number, text: string, start = 0, end = text.length): number {
  let value = seed
  for (let index = start; index < end; index++) {
    value ^= text.charCodeAt(index)
    value = Math.imul(value, 0x01000193)
  }
  return value >>> 0
}

/** Pseudorandom numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function shuffle(list: unknown[], next: () => number): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1))
    ;[list[last], list[other]] = [list[other], list[last]]
  }
}
