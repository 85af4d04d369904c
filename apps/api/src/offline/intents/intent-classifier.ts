import { z } from 'zod'

/** Features and labels of a text classifier, packed as its trainer writes them. */
export const packedClassifierSchema = z.object({
  labels: z.array(z.string()).min(2),
  telling: z.array(z.number()),
  weights: z.string(),
})

/** A sentence and what it means: the name of an agent, or NO_AGENT. */
export interface IntentExample {
  text: string
  label: string
  /** Weight in training, by default 1. */
  weight?: number
}

/** Label of sentences for conversation rather than an agent. */
export const NO_AGENT = 'none'

/** A trained classifier. Its features are hashes: no user's text can be read from it. */
export interface IntentModel {
  labels: string[]
  /** Hashes of words that identify a label: most examples that contain them have that label. */
  telling: number[]
  /** Row by row for each label: weights of all features, then the label's own. */
  weights: Float32Array
}

/** A label with its probability for a sentence, 0 to 1. */
export interface IntentGuess {
  label: string
  probability: number
}

const BUCKETS = 1 << 13
const ROW = BUCKETS + 1
const EPOCHS = 15
const LEARNING_RATE = 0.3
const REGULARISATION = 3e-4
/** Feature value of a label's own weight (its bias). */
const OWN_VALUE = 0.2
const SHORTEST_PART = 3
const LONGEST_PART = 4
/** A request is said at its beginning; what follows is what it is about. */
const READ_CHARACTERS = 300
/** Weight of whole words; they say more than their parts. */
const WORD_WEIGHT = 2
const SEED = 20_260_101
/** A word identifies an agent when this many examples contain it and at least this share of them means that agent. */
const TELLING_EXAMPLES = 2
const TELLING_SHARE = 0.5
/** Share that remains of a guess without a supporting word; the rest goes to no agent. */
const UNSUPPORTED_SHARE = 0.3

/**
 * Trains a multinomial logistic regression over words, pairs of words and parts of words, by stochastic gradient descent
 * with a step for each weight (AdaGrad). The same examples give the same model, to the last bit.
 * @param epochs how often each example is learnt from
 */
export function trainIntents(examples: readonly IntentExample[], epochs = EPOCHS): IntentModel {
  const labels = [...new Set(examples.map(({ label }) => label))].sort()
  const weights = new Float32Array(labels.length * ROW)
  const steps = new Float32Array(weights.length).fill(1e-6)
  const samples = examples.map(({ text, label, weight = 1 }) => ({
    features: featuresOf(text),
    target: labels.indexOf(label),
    weight,
  }))
  const model = { labels, telling: tellingWords(examples), weights }
  const probabilities = new Float64Array(labels.length)
  const next = randomNumbers(SEED)
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(samples, next)
    for (const { features, target, weight } of samples) {
      softmax(scoresOf(model, features, probabilities))
      for (let row = 0; row < labels.length; row++) {
        const error = ((probabilities[row] ?? 0) - (row === target ? 1 : 0)) * weight
        if (Math.abs(error) < 1e-4) continue
        learnRow({ weights, steps }, row, error, features)
      }
    }
  }
  return model
}

/** Moves the weights of one label, after a guess that was wrong by `error`. */
function learnRow(
  { weights, steps }: { weights: Float32Array; steps: Float32Array },
  row: number,
  error: number,
  { buckets, values }: Features,
): void {
  // the label's own weight is learnt like one of a feature
  for (let index = 0; index <= buckets.length; index++) {
    const isOwn = index === buckets.length
    const at = row * ROW + (isOwn ? BUCKETS : (buckets[index] ?? 0))
    const gradient = error * (isOwn ? OWN_VALUE : (values[index] ?? 0)) + REGULARISATION * (weights[at] ?? 0)
    steps[at] = (steps[at] ?? 0) + gradient * gradient
    weights[at] = (weights[at] ?? 0) - (LEARNING_RATE * gradient) / Math.sqrt(steps[at] ?? 1)
  }
}

/** Guesses for a sentence, the most likely first. */
export function guessIntent(model: IntentModel, text: string): IntentGuess[] {
  const probabilities = softmax(scoresOf(model, featuresOf(text), new Float64Array(model.labels.length)))
  const telling = new Set(model.telling)
  const words = wordsOf(text)
  let unsupported = 0
  const guesses = model.labels.map((label, row) => {
    const probability = probabilities[row] ?? 0
    // "how long is it?" is made like a question about the weather, and has no word of it
    if (label === NO_AGENT || words.some((word) => telling.has(wordOf(label, word)))) return { label, probability }
    unsupported += probability * (1 - UNSUPPORTED_SHARE)
    return { label, probability: probability * UNSUPPORTED_SHARE }
  })
  return guesses
    .map(({ label, probability }) => ({ label, probability: probability + (label === NO_AGENT ? unsupported : 0) }))
    .sort((a, b) => b.probability - a.probability)
}

/** Share of examples whose surest label is right, 0 to 1; 0 of none. */
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

/** A model as JSON that a database keeps. */
export function packIntents({ labels, telling, weights }: IntentModel): PackedIntents {
  return {
    labels,
    telling,
    weights: Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString('base64'),
  }
}

/** Reads what packIntents wrote; null when it is of another make. */
export function unpackIntents(packed: PackedIntents): IntentModel | null {
  const bytes = Buffer.from(packed.weights, 'base64')
  if (bytes.length !== packed.labels.length * ROW * Float32Array.BYTES_PER_ELEMENT) return null
  return { labels: packed.labels, telling: packed.telling, weights: new Float32Array(new Uint8Array(bytes).buffer) }
}

/** Words and parts of them as numbers below BUCKETS, with weights whose squares add up to 1. */
interface Features {
  buckets: Int32Array
  values: Float64Array
}

const WHOLE_WORD = hash('w ')
const PAIR_OF_WORDS = hash('p ')
const PART_OF_WORD = hash('c ')

function featuresOf(text: string): Features {
  const words = wordsOf(text)
  const weights = new Map<number, number>()
  const add = (hashed: number, value: number) => {
    const bucket = hashed % BUCKETS
    weights.set(bucket, (weights.get(bucket) ?? 0) + value)
  }
  for (const [index, word] of words.entries()) {
    add(hashOn(WHOLE_WORD, word), WORD_WEIGHT)
    add(hashOn(PAIR_OF_WORDS, `${words[index - 1] ?? '^'} ${word}`), WORD_WEIGHT)
    const framed = `_${word}_`
    for (let length = SHORTEST_PART; length <= LONGEST_PART; length++) {
      for (let start = 0; start + length <= framed.length; start++) {
        add(hashOn(PART_OF_WORD, framed, start, start + length), 1)
      }
    }
  }
  const norm = Math.sqrt([...weights.values()].reduce((sum, value) => sum + value * value, 0)) || 1
  return {
    buckets: Int32Array.from(weights.keys()),
    values: Float64Array.from(weights.values(), (value) => value / norm),
  }
}

/** Words in lower case without accents, numbers as one of them, and signs of sums. */
function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, READ_CHARACTERS)
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
      // which number it is does not matter
      .replace(/\d+(?:[.,:]\d+)*/g, ' 0 ')
      .match(/\p{L}+|0|[%?+*/=^!]/gu) ?? []
  )
}

/** Words that mostly examples of one agent have. */
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
    return isTelling ? [wordOf(label, word)] : []
  })
}

function wordOf(label: string, word: string): number {
  return hash(`${label}: ${word}`)
}

/** Writes how much a sentence is like each label into `scores`. */
function scoresOf({ labels, weights }: IntentModel, { buckets, values }: Features, scores: Float64Array): Float64Array {
  for (let row = 0; row < labels.length; row++) {
    const begin = row * ROW
    let score = weights[begin + BUCKETS] ?? 0
    for (let index = 0; index < buckets.length; index++)
      score += (values[index] ?? 0) * (weights[begin + (buckets[index] ?? 0)] ?? 0)
    scores[row] = score
  }
  return scores
}

/** Makes probabilities of scores, in their place. */
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
  return hashOn(0x811c9dc5, text)
}

/** Continues the hash of a text with part of another one. */
function hashOn(seed: number, text: string, start = 0, end = text.length): number {
  let value = seed
  for (let index = start; index < end; index++) {
    value ^= text.charCodeAt(index)
    value = Math.imul(value, 0x01000193)
  }
  return value >>> 0
}

/** Numbers from 0 to 1 that look random and are the same for the same seed (mulberry32). */
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
