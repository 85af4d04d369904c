import { PGlite } from '@electric-sql/pglite'
import { type Question, type Thing, textOf } from './retrieval-sets.ts'

/** Turns texts into vectors. */
export type Embed = (texts: string[]) => Promise<number[][]>
/** Ranked ids for each question by method, the best first. */
export type Rankings = Map<string, Map<Question, string[]>>

const TERM_SATURATION = 1.2
const LENGTH_WEIGHT = 0.75
const RANK_OFFSET = 60
/** Number of sentences that a model would receive. */
export const GIVEN = 8

const configurations: Record<string, string> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }

/** Rankings that need an hour's work, to hold up against: words, meaning, and two ways to join them. */
export interface Baselines {
  rankings: Rankings
  /** Sentences that a model would receive for a question, by method. */
  given: Map<string, Map<Question, string[]>>
}

/** Ranks all things for each question; without `embed` by words alone. */
export async function rankByBaselines(things: Thing[], questions: Question[], embed: Embed | null): Promise<Baselines> {
  const terms = await openTerms()
  try {
    const sentences = things.flatMap((thing) =>
      sentencesOf(textOf(thing)).map((text) => ({ text, thing, language: thing.language })),
    )
    const ofThings = await wordIndex(
      things.map((thing) => ({ text: textOf(thing), language: thing.language })),
      terms,
    )
    const ofSentences = await wordIndex(sentences, terms)
    const vectors = embed && {
      things: await embed(things.map(textOf)).then(unitVectors),
      sentences: await embed(sentences.map(({ text }) => text)).then(unitVectors),
      questions: await embed(await Promise.all(questions.map((one) => terms.contentWords(one)))).then(unitVectors),
    }
    const baselines: Baselines = { rankings: new Map(), given: new Map() }
    const positionOf = new Map(things.map((thing, at) => [thing, at]))
    for (const [number, question] of questions.entries()) {
      const asked = await terms.stems(question.text, question.language)
      const words = ofThings(asked)
      const sentenceWords = scaled(ofSentences(asked))
      const note = (way: string, scores: number[], sentenceScores: number[]) => {
        const ranked = best(scores).map((at) => things[at]?.id ?? '')
        put(baselines.rankings, way, question, ranked)
        const given = best(sentenceScores).slice(0, GIVEN)
        put(
          baselines.given,
          way,
          question,
          given.map((at) => sentences[at]?.text ?? ''),
        )
      }
      note('BM25', words, sentenceWords)
      if (!vectors) continue
      const vector = vectors.questions[number] ?? []
      const whole = vectors.things.map((one) => dot(one, vector))
      const near = vectors.sentences.map((one) => dot(one, vector))
      const nearest = things.map(() => Number.NEGATIVE_INFINITY)
      for (const [at, { thing }] of sentences.entries()) {
        const position = positionOf.get(thing) ?? 0
        nearest[position] = Math.max(nearest[position] ?? 0, near[at] ?? 0)
      }
      note('cosine', nearest, near)
      const [scaledNear, scaledWhole] = [scaled(near), scaled(whole)]
      note('rank fusion', fusedRanks(words, nearest), fusedRanks(sentenceWords, near))
      note(
        'plain sum',
        sum(scaled(words), half(scaled(nearest)), half(scaledWhole)),
        sum(
          sentenceWords,
          half(scaledNear),
          half(sentences.map(({ thing }) => scaledWhole[positionOf.get(thing) ?? 0] ?? 0)),
        ),
      )
    }
    return baselines
  } finally {
    await terms.close()
  }
}

function put<Value>(into: Map<string, Map<Question, Value>>, way: string, question: Question, value: Value): void {
  const ofWay = into.get(way) ?? new Map<Question, Value>()
  into.set(way, ofWay)
  ofWay.set(question, value)
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?。?!])\s+|(?<=。)|\n/).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

interface Terms {
  /** The words of a text without their endings; pairs of characters where words have no spaces between them. */
  stems(text: string, language: string): Promise<string[]>
  /** A question without the words that every text has. */
  contentWords(question: { text: string; language: string }): Promise<string>
  close(): Promise<void>
}

/** The stemmers of PostgreSQL, without their lists of words to leave out. */
async function openTerms(): Promise<Terms> {
  const database = await PGlite.create()
  for (const language of Object.values(configurations)) {
    await database.exec(`CREATE TEXT SEARCH DICTIONARY bare_${language} (TEMPLATE = snowball, Language = ${language})`)
  }
  const known = new Map<string, string[]>()
  const lexize = async (dictionary: string, words: string[]): Promise<string[][]> => {
    const keyOf = (word: string) => `${dictionary} ${word}`
    const missing = [...new Set(words.filter((word) => !known.has(keyOf(word))))]
    if (missing.length > 0) {
      const { rows } = await database.query<{ word: string; stems: string[] | null }>(
        `SELECT word, ts_lexize('${dictionary}', word) AS stems FROM unnest($1::text[]) AS given (word)`,
        [missing],
      )
      for (const { word, stems } of rows) known.set(keyOf(word), stems ?? [])
    }
    return words.map((word) => known.get(keyOf(word)) ?? [])
  }
  return {
    async stems(text, language) {
      const words = wordsOf(text)
      const configuration = configurations[language]
      return configuration === undefined ? words : (await lexize(`bare_${configuration}`, words)).flat()
    },
    async contentWords({ text, language }) {
      const configuration = configurations[language]
      if (configuration === undefined) return text
      const words = wordsOf(text)
      const stems = await lexize(`${configuration}_stem`, words)
      return words.filter((_, at) => (stems[at]?.length ?? 0) > 0).join(' ') || text
    },
    close: () => database.close(),
  }
}

const withoutSpaces = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}ー]/u

function wordsOf(text: string): string[] {
  const runs = text
    .toLowerCase()
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Thai}+|\p{Script=Hangul}+|[\p{L}\p{M}\p{N}]+/gu,
    )
  return (runs ?? []).flatMap((run) => {
    const characters = [...run]
    if (!withoutSpaces.test(run) || characters.length < 2) return run
    return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
  })
}

/** BM25 over texts: the scores of all for the words of a question. */
async function wordIndex(texts: { text: string; language: string }[], terms: Terms) {
  const postings = new Map<string, Map<number, number>>()
  const lengths: number[] = []
  for (const [at, { text, language }] of texts.entries()) {
    const stems = await terms.stems(text, language)
    lengths.push(stems.length)
    for (const stem of stems) {
      const found = postings.get(stem) ?? new Map<number, number>()
      postings.set(stem, found)
      found.set(at, (found.get(at) ?? 0) + 1)
    }
  }
  const meanLength = lengths.reduce((total, one) => total + one, 0) / Math.max(1, lengths.length)
  return (asked: string[]): number[] => {
    const scores = texts.map(() => 0)
    for (const stem of asked) {
      const found = postings.get(stem) ?? new Map<number, number>()
      const rarity = Math.log(1 + (texts.length - found.size + 0.5) / (found.size + 0.5))
      for (const [at, count] of found) {
        const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * (lengths[at] ?? 0)) / meanLength
        scores[at] = (scores[at] ?? 0) + (rarity * count * (TERM_SATURATION + 1)) / (count + TERM_SATURATION * length)
      }
    }
    return scores
  }
}

function unitVectors(vectors: number[][]): number[][] {
  return vectors.map((vector) => {
    const length = Math.hypot(...vector) || 1
    return vector.map((one) => one / length)
  })
}

function dot(one: number[], other: number[]): number {
  let total = 0
  for (let at = 0; at < one.length; at++) total += (one[at] ?? 0) * (other[at] ?? 0)
  return total
}

/** From 0 for the least to 1 for the most. */
function scaled(scores: number[]): number[] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const score of scores) {
    min = Math.min(min, score)
    max = Math.max(max, score)
  }
  return scores.map((score) => (max > min ? (score - min) / (max - min) : 0))
}

const half = (scores: number[]) => scores.map((score) => score / 2)

function sum(...all: number[][]): number[] {
  return (all[0] ?? []).map((_, at) => all.reduce((total, scores) => total + (scores[at] ?? 0), 0))
}

/** Positions from the highest score on; what scores nothing is not found. */
function best(scores: number[]): number[] {
  return scores
    .map((score, at) => ({ score, at }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ at }) => at)
}

function fusedRanks(...all: number[][]): number[] {
  const fused = (all[0] ?? []).map(() => 0)
  for (const scores of all) {
    for (const [rank, at] of best(scores).entries()) fused[at] = (fused[at] ?? 0) + 1 / (RANK_OFFSET + rank + 1)
  }
  return fused
}
