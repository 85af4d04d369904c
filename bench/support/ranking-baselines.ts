import { PGlite } from '@electric-sql/pglite'
import { type Document, type Question, textOf } from './retrieval-sets.ts'

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

/** Simple rankings for comparison: by words, by meaning, and two combinations of both. */
export interface Baselines {
  rankings: Rankings
  /** Sentences that a model would receive for a question, by method. */
  given: Map<string, Map<Question, string[]>>
}

/** Ranks all things for each question; without `embed` by words alone. */
export async function rankByBaselines(
  things: Document[],
  questions: Question[],
  embed: Embed | null,
): Promise<Baselines> {
  const terms = await openTerms()
  try {
    const sentences = things.flatMap((thing) =>
      sentencesOf(textOf(thing)).map((text) => ({ text, thing, language: thing.language })),
    )
    const scoreThings = await wordIndex(
      things.map((thing) => ({ text: textOf(thing), language: thing.language })),
      terms,
    )
    const scoreSentences = await wordIndex(sentences, terms)
    const vectors = embed && {
      things: await embed(things.map(textOf)).then(unitVectors),
      sentences: await embed(sentences.map(({ text }) => text)).then(unitVectors),
      questions: await embed(await Promise.all(questions.map((one) => terms.contentWords(one)))).then(unitVectors),
    }
    const baselines: Baselines = { rankings: new Map(), given: new Map() }
    const positionOf = new Map(things.map((thing, index) => [thing, index]))
    for (const [number, question] of questions.entries()) {
      const stems = await terms.stems(question.text, question.language)
      const words = scoreThings(stems)
      const sentenceWords = scaled(scoreSentences(stems))
      const addRanking = (way: string, scores: number[], sentenceScores: number[]) => {
        const ranked = best(scores).map((index) => things[index]?.id ?? '')
        put(baselines.rankings, way, question, ranked)
        const given = best(sentenceScores).slice(0, GIVEN)
        put(
          baselines.given,
          way,
          question,
          given.map((index) => sentences[index]?.text ?? ''),
        )
      }
      addRanking('BM25', words, sentenceWords)
      if (!vectors) continue
      const vector = vectors.questions[number] ?? []
      const thingSimilarities = vectors.things.map((one) => dot(one, vector))
      const sentenceSimilarities = vectors.sentences.map((one) => dot(one, vector))
      const bestSentences = things.map(() => Number.NEGATIVE_INFINITY)
      for (const [index, { thing }] of sentences.entries()) {
        const position = positionOf.get(thing) ?? 0
        bestSentences[position] = Math.max(bestSentences[position] ?? 0, sentenceSimilarities[index] ?? 0)
      }
      addRanking('cosine', bestSentences, sentenceSimilarities)
      const [scaledNear, scaledWhole] = [scaled(sentenceSimilarities), scaled(thingSimilarities)]
      addRanking('rank fusion', fusedRanks(words, bestSentences), fusedRanks(sentenceWords, sentenceSimilarities))
      addRanking(
        'plain sum',
        sum(scaled(words), half(scaled(bestSentences)), half(scaledWhole)),
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

function put<Value>(rankings: Map<string, Map<Question, Value>>, way: string, question: Question, value: Value): void {
  const byQuestion = rankings.get(way) ?? new Map<Question, Value>()
  rankings.set(way, byQuestion)
  byQuestion.set(question, value)
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?。?!])\s+|(?<=。)|\n/).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

interface Terms {
  /** Stems of a text's words; pairs of characters in scripts without spaces. */
  stems(text: string, language: string): Promise<string[]>
  /** Question without stop words. */
  contentWords(question: { text: string; language: string }): Promise<string>
  close(): Promise<void>
}

/** PostgreSQL's stemmers, without their lists of stop words. */
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
      return words.filter((_, index) => (stems[index]?.length ?? 0) > 0).join(' ') || text
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
    return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
  })
}

/** BM25 index; the returned function scores all texts for the stems of a question. */
async function wordIndex(texts: { text: string; language: string }[], terms: Terms) {
  const postings = new Map<string, Map<number, number>>()
  const lengths: number[] = []
  for (const [index, { text, language }] of texts.entries()) {
    const stems = await terms.stems(text, language)
    lengths.push(stems.length)
    for (const stem of stems) {
      const posting = postings.get(stem) ?? new Map<number, number>()
      postings.set(stem, posting)
      posting.set(index, (posting.get(index) ?? 0) + 1)
    }
  }
  const meanLength = lengths.reduce((total, one) => total + one, 0) / Math.max(1, lengths.length)
  return (questionStems: string[]): number[] => {
    const scores = texts.map(() => 0)
    for (const stem of questionStems) {
      const posting = postings.get(stem) ?? new Map<number, number>()
      const rarity = Math.log(1 + (texts.length - posting.size + 0.5) / (posting.size + 0.5))
      for (const [index, count] of posting) {
        const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * (lengths[index] ?? 0)) / meanLength
        scores[index] =
          (scores[index] ?? 0) + (rarity * count * (TERM_SATURATION + 1)) / (count + TERM_SATURATION * length)
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
  for (let index = 0; index < one.length; index++) total += (one[index] ?? 0) * (other[index] ?? 0)
  return total
}

/** Scores scaled from 0 (lowest) to 1 (highest). */
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
  return (all[0] ?? []).map((_, index) => all.reduce((total, scores) => total + (scores[index] ?? 0), 0))
}

/** Positions by descending score, without scores of zero. */
function best(scores: number[]): number[] {
  return scores
    .map((score, index) => ({ score, index }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ index }) => index)
}

function fusedRanks(...all: number[][]): number[] {
  const fused = (all[0] ?? []).map(() => 0)
  for (const scores of all) {
    for (const [rank, index] of best(scores).entries())
      fused[index] = (fused[index] ?? 0) + 1 / (RANK_OFFSET + rank + 1)
  }
  return fused
}
