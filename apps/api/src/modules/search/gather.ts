import type { Log } from '../../log.ts'
import type { Look, LooksArm, MeaningArm, MeaningFound, Nearness, SearchMode } from './arms/meaning.ts'
import {
  createTyposArm,
  findByTags,
  findByWords,
  type OpenTerms,
  rarityOf,
  type WordsFound,
  type WordsQuery,
} from './arms/words.ts'
import type { CandidatesStore } from './candidates.store.ts'
import { candidateWords, createJudge, type JudgedMoment } from './evidence.ts'
import { type Stems, type StemsStore, stemmedLanguageOf } from './indexing/words.store.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { SearchScope } from './scope.ts'
import { askedWordsOf, type Term, wordsOf } from './terms.ts'
import type { RankingPreferences } from './understand.ts'

export interface GatherDeps {
  store: Pick<MemoryStore, 'readMoments' | 'listItems' | 'findTagged' | 'findLike'>
  candidates: Pick<CandidatesStore, 'withWords' | 'itemBytes'>
  stems: StemsStore
  meaning: MeaningArm
  looks: LooksArm
  /** True when the database runs one statement at a time: the nearest vectors, which take longest, then come last. */
  isOneByOne: boolean
  log: Log
}

/** A query as the arms need it. */
export interface ArmsQuery extends WordsQuery {
  text: string
  /** Preceding text, for a text that makes no sense alone; both are interpreted together. */
  about?: string | undefined
  /** To be found letter by letter, in any case. */
  phrases: string[]
  /** True to match words as typed, without misspellings and compounds. */
  isExact: boolean
  /** False for words that are meant as they stand. */
  byMeaning: boolean
  /** Longest wait for an embedding engine. */
  patienceMs: number
  preferences?: RankingPreferences | undefined
}

/** Candidates of all arms, and what the score needs to know of them. */
export interface Gathered extends SearchMode {
  /** Moments with their words judged: the arms take turns, the best of each first. */
  judged: JudgedMoment[]
  tagged: JudgedMoment[]
  looks: Look[]
  /** Certainty that a moment was meant, 0 to 1, by id. */
  certainties: Map<string, number>
  nearness: Nearness
  /** Weight of each term. */
  rarities: number[]
}

const MAX_PREFERRED = 60
/** Items whose length is looked up: those of the best moments. */
const MAX_ITEMS = 60
/** Words in a larger share of the texts don't carry the meaning of a longer query. */
const CONTENT_SHARE = 0.2
/** Smallest memory whose words show what most texts contain. */
const ENOUGH_TO_TELL = 30

/**
 * Runs the arms of a search and judges the words of what they find, in two passes. First everything that needs only the query:
 * words and tags, then typos for the terms that both leave open; nearest vectors and looks meanwhile, and items with a preferred
 * type or time. Second what needs the first: the words of the nearest moments, and the nearness of the others.
 */
export function createGatherer({ store, candidates, stems, meaning, looks, isOneByOne, log }: GatherDeps) {
  const typos = createTyposArm({ store, log })

  const readMoments = async (userId: string, ids: string[]) => (ids.length > 0 ? store.readMoments(userId, ids) : [])

  /** Words and typos, with the judge of texts that follows from them. */
  const findLexical = async (
    query: ArmsQuery,
    scope: SearchScope,
    finding: { words: Promise<WordsFound>; tags: Promise<JudgedMoment[]> },
  ) => {
    const [words, tagged] = await Promise.all([finding.words, finding.tags])
    const open = openTerms(query, words, tagged)
    return { words, open, misspelled: await typos.find(open, scope) }
  }

  const createMomentsJudge = ({ terms, phrases, language, size }: ArmsQuery, { rare, unknown }: OpenTerms) => {
    const textStems = new Map<string, Stems>()
    const judge = createJudge({
      terms,
      phrases,
      rare,
      unknown,
      language: stemmedLanguageOf(language),
      stems: textStems,
      averageBytes: size.averageBytes,
    })
    return async (moments: MomentRow[]): Promise<JudgedMoment[]> => {
      const texts = moments.map((moment) => ({ moment, words: wordsOf(moment.body) }))
      const words = new Set(texts.flatMap((text) => text.words))
      for (const [word, forms] of await stems.stemsOf(candidateWords(words, terms))) textStems.set(word, forms)
      return texts.map((text) => ({ moment: text.moment, evidence: judge(text.moment, text.words) }))
    }
  }

  /** Nearest moments and pictures to the query without words that most texts hold. */
  const findNear = async (
    query: ArmsQuery,
    scope: SearchScope,
    finding: Promise<WordsFound>,
    ready: Promise<unknown> | undefined,
  ): Promise<MeaningFound & { looks: Look[] }> => {
    if (!query.byMeaning) return { mode: 'words', moments: new Map(), compare: null, looks: [] }
    const { terms, size, language, patienceMs } = query
    // For a large memory these words are known before the lookup.
    const rarities =
      size.frequent.size > 0
        ? terms.map(({ word }) => rarityOf((size.frequent.get(word) ?? 0) * size.moments, size.moments))
        : (await finding).rarities
    const whole = query.about === undefined ? query.text : `${query.about} ${query.text}`
    const text = size.moments < ENOUGH_TO_TELL ? whole : contentOf(whole, terms, rarities, size.moments)
    const near = { text, language, patienceMs, ready }
    const [texts, pictures] = await Promise.all([meaning.find(near, scope), looks.find(near, scope)])
    // The texts' reason counts: a picture that can't be compared is missed by nobody when it has a caption.
    const { mode, mode_reason, mode_reason_code } =
      texts.mode === 'semantic' || pictures.mode === 'words' ? texts : pictures
    return {
      mode,
      ...(mode_reason && { mode_reason }),
      ...(mode_reason_code && { mode_reason_code }),
      moments: texts.moments,
      compare: texts.compare,
      looks: pictures.looks,
    }
  }

  /** Newest items that match the query's preferences, whatever they contain. */
  const listPreferred = async ({ preferences }: ArmsQuery, scope: SearchScope): Promise<MomentRow[]> => {
    if (!preferences) return []
    const { mediaTypes, from, to } = preferences
    const types = mediaTypes?.filter((type) => scope.types === null || scope.types.includes(type)) ?? scope.types
    return store.listItems({ ...scope, types, from: from ?? scope.from, to: to ?? scope.to }, MAX_PREFERRED)
  }

  return async function gatherArms(query: ArmsQuery, scope: SearchScope): Promise<Gathered> {
    const { userId } = scope
    const finding = { tags: findByTags(store, query, scope), words: findByWords(candidates, query, scope) }
    const lexical = findLexical(query, scope, finding)
    // Texts with the words are read and judged while the nearest are looked up.
    const judging = lexical.then(async ({ words, open, misspelled }) => {
      const judge = createMomentsJudge(query, open)
      const ids = new Set(words.moments.map(({ id }) => id))
      const others = await readMoments(
        userId,
        misspelled.filter((id) => !ids.has(id)),
      )
      return { words, misspelled, judge, judged: await judge([...words.moments, ...others]) }
    })
    const [{ words, misspelled, judge, judged }, near, tagged, preferred] = await Promise.all([
      judging,
      findNear(query, scope, finding.words, isOneByOne ? lexical : undefined),
      finding.tags,
      listPreferred(query, scope),
    ])

    const wordIds = words.moments.map(({ id }) => id)
    const ids = [...new Set([...alternating(wordIds, [...near.moments.keys()]), ...misspelled])]
    const all = [...new Set([...ids, ...preferred.map(({ id }) => id)])]
    const byId = new Map(judged.map((judgedMoment) => [judgedMoment.moment.id, judgedMoment]))
    const judgeOthers = async () => {
      const others = await readMoments(
        userId,
        ids.filter((id) => !byId.has(id)),
      )
      const read = new Set([...byId.keys(), ...others.map(({ id }) => id)])
      return judge([...others, ...preferred.filter(({ id }) => !read.has(id))])
    }
    const [others, nearness] = await Promise.all([
      judgeOthers(),
      near.compare?.(all) ??
        candidates.itemBytes(userId, ids, MAX_ITEMS).then((itemBytes) => ({ ...notNear, itemBytes })),
    ])
    for (const judgedMoment of others) byId.set(judgedMoment.moment.id, judgedMoment)
    const { moments: certainties, compare: _, ...rest } = near
    return {
      ...rest,
      certainties,
      judged: all.flatMap((id) => byId.get(id) ?? []),
      tagged,
      nearness,
      rarities: words.rarities,
    }
  }
}

/** No cosines. */
const notNear = { moments: new Map(), items: new Map(), background: { moments: [], items: [] }, trust: 0 }

/** Terms whose other spellings may be meant: not words in quotes, which are literal, and not a user's own tags. */
function openTerms(
  { terms, phrases, isExact }: ArmsQuery,
  { rare, unknown }: WordsFound,
  tagged: JudgedMoment[],
): OpenTerms {
  const closed = new Set(phrases.flatMap(askedWordsOf))
  const tags = terms.filter((_, index) => tagged.some(({ evidence }) => (evidence.shares[index] ?? 0) > 0))
  for (const { word } of isExact ? terms : tags) closed.add(word)
  const isOpen = ({ word }: Term) => !closed.has(word)
  return { rare: new Set([...rare].filter(isOpen)), unknown: new Set([...unknown].filter(isOpen)) }
}

/** The words of a query that not most texts hold; all of them when there are no others. */
function contentOf(text: string, terms: Term[], rarities: number[], moments: number): string {
  const least = Math.log(1 + (1 - CONTENT_SHARE) / CONTENT_SHARE) - 1 / moments
  const common = new Set(terms.flatMap(({ word }, index) => ((rarities[index] ?? 0) < least ? [word] : [])))
  const content = text.split(/\s+/).filter((chunk) => askedWordsOf(chunk).some((word) => !common.has(word)))
  return content.length > 0 ? content.join(' ') : text
}

/** Both lists by turns, the best of each first. */
function alternating(these: string[], those: string[]): string[] {
  return Array.from({ length: Math.max(these.length, those.length) }, (_, index) => [these[index], those[index]])
    .flat()
    .filter((id) => id !== undefined)
}
