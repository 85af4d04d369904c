import type { NearRow } from '../../platform/database/vector.ts'

/**
 * All weights of the search. `node bench/retrieval.bench.ts` measures them together: the current figures are in
 * bench/results.md ("Retrieval"), the experiments in docs/log/search.md under the date at each group. Some twenty settings were
 * varied by a quarter or more on 2026-11-22; a change that helped on one data set did harm on another.
 */
export const weights = {
  /** Score of a hit; the best match of words scores 1. 2026-11-22, "engines of very different quality". */
  score: {
    /** Nearest moment and item, times the trust in the engine: with a poor engine, a fixed 0.5 was worse than words alone. */
    moment: 0.4,
    item: 0.4,
    /** Share of the words' score taken from the whole item: matches are often spread over several pages or sentences. */
    itemWords: 0.5,
    looks: 0.6,
    /** Boost of a hit with every word of the query over one with the rarer ones in a shorter text. */
    allWords: 0.3,
    /** A preferred type or time. */
    preference: 0.4,
    /** The same for queries with nothing but preferences. */
    onlyPreference: 2,
    /** A preferred time of at most a season that the text names, or when the item was taken. 2026-11-28, "a year of records". */
    time: 1,
    /** Factor of `time` for a text that names no day, of an item whose time taken is unknown. */
    undated: 0.3,
    /** Factor of `preference` for an item that was added in the preferred time, but whose text names other days. */
    onlyAdded: 0.3,
    /** Minimum trust. Even an untrusted engine can rank hits that contain none of the query's words. */
    minTrust: 0.05,
    /** Share of the query's weight from which the best match is scaled to 1; if it matches less, it stays below 1. */
    minFullMatch: 0.5,
  },
  /** Words of a hit, in units of BM25. 2026-11-22. */
  words: {
    /** Bonus for neighbouring terms of the query that are neighbours in the text, too. */
    neighbours: 0.2,
    /** Bonus for a phrase in quotes: it outweighs the phrase's words anywhere else. */
    phrase: 10,
    /** Factor of words in the item's name or description for a hit inside the item. */
    wholeItem: 0.6,
    /** Share of the rarest matched word's rarity from which a word is marked. */
    marked: 0.3,
    /** BM25's usual parameters: saturation of repeated words, and the effect of length. */
    k1: 1.2,
    b: 0.75,
    /** Kinds of moments: names and descriptions are more likely to say what the item is about. */
    kind: { name: 1.2, caption: 1.1, text: 1, speech: 1 },
  },
  /** Words of a query; a typed one counts 1. 2026-11-23, "follow-ups" (context) and "words that tell little" (everyday). */
  terms: {
    /** A word of the context, such as an earlier question. */
    context: 0.35,
    /** A single Chinese character: different names of the same thing share one. */
    character: 0.35,
    /** Factor for the counts of words in the everyday sentences: these are written, and speech has more everyday words. */
    everyday: 1.5,
    /** A preferred day that a text names; only makes the text a candidate. 2026-11-28. */
    days: 2,
  },
  /** Likelihood that a word of a text is the one in the query. 2026-11-23, "words that tell little" (misspelt words). */
  match: {
    form: 1,
    accents: 0.95,
    otherLanguage: 0.9,
    /** A word that begins with the typed one, times the share of the word that was typed. */
    prefix: 0.9,
    misspelled: 0.8,
    /** Deduction for each further mistake. */
    furtherMistake: 0.15,
    /** Factor for a misspelled word in a sentence. */
    mistakeInSentence: 0.5,
    compound: 0.7,
    /** Minimum match of a word that counts as a neighbour. */
    same: 0.9,
    tag: 0.9,
    /** BM25 strength of a tag; a word of a text has at most 2.2. */
    tagStrength: 1.6,
  },
  /** Certainty, 0 to 1. 2026-11-22 ("right things told as found") and docs/decisions/011. */
  certainty: {
    /** Maximum certainty, even of a hit with all words. */
    max: 0.98,
    /** Maximum certainty by guessed words, or by an engine that can't be trusted. */
    maxGuessed: 0.45,
    /** Exponent of matched share × relative score: a product of 0.19 gives 50 per cent. */
    power: 0.41,
    /** Minimum matched share of the other terms for an item's name to count, when a query asks for a named item's contents. */
    minContents: 0.25,
    /** Standard deviations above unrelated questions: up to `chance` a coincidence, from `certain` on a sure match. */
    chance: 3.5,
    certain: 8,
    maxByMeaning: 0.97,
  },
} as const

/**
 * Probe texts: unrelated questions, and two meaningless ones. The cosine of a text with these is the one it has with any
 * question: some models put everything at 0.8, others at 0.1, and every model puts some texts nearer than others.
 */
export const probeTexts = [
  'qwxz blorf vunkle',
  'asdf jklö 123 %%%',
  'How long does it take to boil an egg?',
  'the history of railways in Japan',
  'precio del billete de avión a Nueva York',
  'comment changer la roue d’un vélo',
  'Wettervorhersage für das nächste Wochenende',
  'neural network training on a graphics card',
]
/** Probe texts for pictures. */
export const pictureProbeTexts = [
  'qwxz blorf vunkle',
  'a photo',
  'something',
  'a blurry picture of nothing in particular',
  'a screenshot of a computer program',
  'a pattern of colours',
  'an object on a white background',
  'a person doing something',
]

/** Number of nearest probes to ignore, since a text may happen to be about them. */
const IGNORED_PROBES = 2
/** Minimum deviation; with a smaller one, tiny differences would seem large when all probes are equally near. */
const MIN_DEVIATION = 0.02

/**
 * Probability that each row was meant, 0 to 1.
 *
 * z = (cosine with the question - mean cosine with the probes) / deviation. The mean is the row's own, without the two nearest
 * probes, which it may happen to be about; the deviation is that of all rows. p = (z - 3.5) / 4.5, clamped to 0 … 0.97. So no
 * model needs thresholds of its own, and a row that is near everything matches nothing.
 */
export function calibrate(rows: NearRow[]): number[] {
  const { chance, certain, maxByMeaning } = weights.certainty
  const judged = rows.map(({ cosine, probeCosines }) => {
    const probes = probeCosines.toSorted((a, b) => a - b).slice(0, Math.max(1, probeCosines.length - IGNORED_PROBES))
    const mean = probes.reduce((sum, probe) => sum + probe, 0) / probes.length
    const squares = probes.reduce((sum, probe) => sum + (probe - mean) ** 2, 0)
    return { above: cosine - mean, squares, count: probes.length }
  })
  const count = judged.reduce((sum, one) => sum + one.count, 0)
  const variance = judged.reduce((sum, one) => sum + one.squares, 0) / Math.max(1, count)
  const deviation = Math.max(Math.sqrt(variance), MIN_DEVIATION)
  return judged.map(({ above }) => {
    const share = (above / deviation - chance) / (certain - chance)
    return Math.min(maxByMeaning, Math.max(0, share))
  })
}
