import type { MediaType, SearchResponse } from '@mira/shared'
import { isArticle, isFraming } from '../../offline/framing-words.ts'
import type { Candidate, Ranking } from './candidate.ts'
import type { Evidence } from './evidence.ts'
import type { ItemMomentsStore } from './indexing/item-moments.store.ts'
import type { StemsStore } from './indexing/stems.store.ts'
import { stemmedLanguageOf } from './indexing/stems.ts'
import type { MeaningSearch, NearFound, Nearness } from './meaning.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { MemorySize, MemorySizes } from './memory-sizes.ts'
import { withBeginnings } from './name-hits.ts'
import { rankHits } from './ranking.ts'
import type { Rerank } from './reranking.ts'
import type { SearchScope } from './scope.ts'
import { guessesLast, type SearchHit } from './search-hit.ts'
import { askedWordsOf } from './split-words.ts'
import { askedTerms, noStems, type QueryText, type Term } from './terms.ts'
import { type JudgedMoment, rarityOf, type WordSearch, type WordsFound } from './word-search.ts'

export interface RetrievalDeps {
  store: Pick<MemoryStore, 'readMoments' | 'listItems' | 'readKinds' | 'itemsOfPhrases'>
  items: Pick<ItemMomentsStore, 'readBeginnings'>
  sizes: MemorySizes
  stems: StemsStore
  words: WordSearch
  meaning: MeaningSearch
  rerank: Rerank
  /** True when the database runs one statement at a time: the nearest vectors, which take longest, then come last. */
  isOneByOne: boolean
}

/** An understood query. */
export interface RetrievalQuery extends QueryText {
  scope: SearchScope
  /** To be found letter by letter, in any case. */
  phrases: string[]
  /** ISO 639-1 code; null when unsure. */
  language: string | null
  /** Preceding text, for a text that makes no sense alone; both are interpreted together. */
  about?: string | undefined
  /** False for words that are meant as they stand. */
  byMeaning: boolean
  /** Preferred among equally good results. */
  preferences?: RankingPreferences | undefined
  /** True to match words as typed, without misspellings and compounds. */
  isExact?: boolean | undefined
  /** Longest wait for an embedding engine. */
  patienceMs: number
  by: Ranking['by']
}

export interface RankingPreferences {
  mediaTypes?: MediaType[] | undefined
  /** Range of the time taken, else added: `from` is inclusive, `to` exclusive. */
  from?: Date | undefined
  to?: Date | undefined
  /** True when the query only consists of preferences. */
  isAll?: boolean | undefined
}

/** Results, best first, and the mode of the search. */
export interface Retrieved extends Pick<SearchResponse, 'mode' | 'mode_reason' | 'mode_reason_code'> {
  hits: SearchHit[]
  terms: Term[]
}

export type Retrieval = ReturnType<typeof createRetrieval>

/** Moments that are read for their words, and that lie nearest. */
const WORD_CANDIDATES = 120
const NEAR_CANDIDATES = 80
const MAX_TAGGED = 100
const MAX_PREFERRED = 60
/** Most item ids passed on; for more items, the condition itself is passed on instead. */
const MAX_PHRASED_ITEMS = 1000
/** Beside words that most texts hold, the others carry the meaning. */
const CONTENT_SHARE = 0.2
/** From how many texts on it can be told what most of them hold. */
const ENOUGH_TO_TELL = 30

/** Finds what is meant in a person's memory: by words, by meaning and by looks, ranked together. */
export function createRetrieval(deps: RetrievalDeps) {
  const { store, items, sizes, stems, words, meaning, rerank, isOneByOne } = deps

  const readTerms = async (asked: QueryText, language: string | null): Promise<Term[]> => {
    const found = askedTerms(asked)
    const words = found.map(({ word }) => word)
    const known = await stems.stemsOf(words)
    const joining = stems.joiningOf(words, stemmedLanguageOf(language))
    return found.map((term) => ({
      ...term,
      stems: known.get(term.word) ?? noStems,
      isJoining: joining.has(term.word) || isArticle(term.word, language) || isFraming(term.word, language),
    }))
  }

  /** Looks phrases up once, instead of in every statement that has to keep to their items. */
  const withItemsOfPhrases = async (scope: SearchScope): Promise<SearchScope> => {
    if (scope.phrases.length === 0) return scope
    const items = await store.itemsOfPhrases(scope, MAX_PHRASED_ITEMS)
    return items === null ? scope : { ...scope, items, phrases: [] }
  }

  /** Items that are what the query prefers, whatever they hold. */
  const listPreferred = async (query: RetrievalQuery): Promise<MomentRow[]> => {
    if (!query.preferences) return []
    const { mediaTypes, from, to } = query.preferences
    const { scope } = query
    const types =
      mediaTypes && (scope.types === null ? mediaTypes : mediaTypes.filter((type) => scope.types?.includes(type)))
    return store.listItems(
      { ...scope, types: types ?? scope.types, from: from ?? scope.from, to: to ?? scope.to },
      MAX_PREFERRED,
    )
  }

  /**
   * Nearest moments to the query without words that most texts contain. For a large memory these words are known before
   * the lookup.
   */
  const nearTo = async (
    query: RetrievalQuery,
    terms: Term[],
    size: MemorySize,
    finding: Promise<WordsFound>,
    ready: Promise<unknown> | undefined,
  ): Promise<NearFound> => {
    if (!query.byMeaning) return wordsOnly
    const shareOf = ({ word }: Term) => size.frequent.get(word) ?? 0
    const rarities =
      size.frequent.size > 0
        ? terms.map((term) => rarityOf(shareOf(term) * size.moments, size.moments))
        : (await finding).rarities
    const { language, patienceMs, about } = query
    const whole = about === undefined ? query.text : `${about} ${query.text}`
    const text = size.moments < ENOUGH_TO_TELL ? whole : contentOf(whole, terms, rarities, size.moments)
    return meaning.near(query.scope, { text, language, patienceMs, ready }, NEAR_CANDIDATES)
  }

  return {
    /** The hits that a query leads to, best first, however certain they are. */
    async find(asked: RetrievalQuery, limit: number): Promise<Retrieved> {
      const [scope, size, terms] = await Promise.all([
        withItemsOfPhrases(asked.scope),
        sizes.of(asked.scope.userId),
        readTerms(asked, asked.language),
      ])
      const query = { ...asked, scope }
      const { phrases } = query
      const tagging = words.findTagged(scope, terms, MAX_TAGGED)
      const finding = words.find(scope, terms, size, WORD_CANDIDATES, query.language)
      const misspelling = Promise.all([finding, tagging]).then(async ([{ rare, unknown }, tagged]) => {
        // what stands in quotes is meant letter by letter, and a tag is a word of the person's
        const known = new Set(phrases.flatMap(askedWordsOf))
        const tags = terms.filter((_, at) => tagged.some(({ evidence }) => (evidence.shares[at] ?? 0) > 0))
        for (const { word } of query.isExact ? terms : tags) known.add(word)
        const isOpen = ({ word }: Term) => !known.has(word)
        const open = { rare: new Set([...rare].filter(isOpen)), unknown: new Set([...unknown].filter(isOpen)) }
        return { ...open, ids: await words.findMisspelled(scope, open.rare, open.unknown) }
      })
      const read = async (ids: string[]) => (ids.length > 0 ? store.readMoments(scope.userId, ids) : [])
      // what holds the words is read and judged while what lies near is looked for
      const found = Promise.all([finding, misspelling])
      const judging = found.then(async ([held, { ids: misspelled, rare, unknown }]) => {
        const language = stemmedLanguageOf(query.language)
        const judge = words.judging({ terms, phrases, rare, unknown, language }, size)
        const known = new Set(held.moments.map(({ id }) => id))
        const others = await read(misspelled.filter((id) => !known.has(id)))
        return { held, misspelled, judge, judged: await judge([...held.moments, ...others]) }
      })
      const [{ held, misspelled, judge, judged: byWords }, near, tagged, preferred] = await Promise.all([
        judging,
        nearTo(query, terms, size, finding, isOneByOne ? found : undefined),
        tagging,
        listPreferred(query),
      ])
      const ids = [
        ...new Set([
          ...alternating(
            held.moments.map(({ id }) => id),
            [...near.moments.keys()],
          ),
          ...misspelled,
        ]),
      ]
      const all = [...new Set([...ids, ...preferred.map(({ id }) => id)])]
      const judgedById = new Map(byWords.map((one) => [one.moment.id, one]))
      const judgeOthers = async () => {
        const others = await read(ids.filter((id) => !judgedById.has(id)))
        const known = new Set([...judgedById.keys(), ...others.map(({ id }) => id)])
        return judge([...others, ...preferred.filter(({ id }) => !known.has(id))])
      }
      const [others, nearness] = await Promise.all([
        judgeOthers(),
        near.compare?.(all) ?? words.itemBytes(scope.userId, ids).then((itemBytes) => ({ ...notNear, itemBytes })),
      ])
      for (const one of others) judgedById.set(one.moment.id, one)
      const judged = all.flatMap((id) => judgedById.get(id) ?? [])
      const shown = [...judged, ...near.looks].map(({ moment }) => moment)
      const preferredBy = await preferenceOf(scope, query.preferences, shown)
      const candidates = candidatesOf([...judged, ...tagged], near, nearness)
      const hits = rankHits(
        candidates.filter(({ moment, evidence, cosine, meant }) => {
          const isPreferred = query.preferences !== undefined && preferredBy(moment.mediaId) > 0
          return isPreferred || cosine !== null || meant > 0 || evidence?.strengths.some((strength) => strength > 0)
        }),
        {
          terms,
          rarities: held.rarities,
          // beside others of the memory
          itemLengths: new Map([...nearness.itemBytes].map(([id, bytes]) => [id, bytes / size.averageItemBytes])),
          trust: nearness.trust,
          background: nearness.background,
          by: query.by,
          preferred: preferredBy,
          isAllPreferred: query.preferences?.isAll ?? false,
          // the question before is not what is asked now
          isFramed: terms.some(({ word, weight }) => weight === 1 && isFraming(word, query.language)),
        },
        limit,
      )
      const { mode, mode_reason, mode_reason_code } = near
      const told = { mode, ...(mode_reason && { mode_reason }), ...(mode_reason_code && { mode_reason_code }) }
      const shownHits = await withBeginnings(hits, (ids) => items.readBeginnings(scope.userId, ids, 1))
      return { hits: guessesLast(await rerank(query.text, shownHits)), terms, ...told }
    },
  }

  /** Part of the preferences that each item meets. */
  async function preferenceOf(
    { userId, timeZone }: SearchScope,
    preferences: RankingPreferences | undefined,
    moments: MomentRow[],
  ): Promise<(mediaId: string) => number> {
    if (!preferences) return () => 0
    const { mediaTypes, from, to } = preferences
    const ids = [...new Set(moments.map(({ mediaId }) => mediaId))]
    const kinds = await store.readKinds(userId, ids, { from: from ?? null, to: to ?? null, timeZone })
    const met = new Map(
      kinds.map(({ mediaId, mediaType, isInTime }) => {
        const checks = [...(mediaTypes ? [mediaTypes.includes(mediaType)] : []), ...(from || to ? [isInTime] : [])]
        return [mediaId, checks.filter(Boolean).length / Math.max(1, checks.length)]
      }),
    )
    return (mediaId) => met.get(mediaId) ?? 0
  }
}

/** No cosines. */
const notNear = { moments: new Map(), items: new Map(), background: { moments: [], items: [] }, trust: 0 }
const wordsOnly: NearFound = { mode: 'words', moments: new Map(), looks: [], compare: null }

/** The words of a query that not most texts hold; all of them when there are no others. */
function contentOf(text: string, terms: Term[], rarities: number[], moments: number): string {
  const least = Math.log(1 + (1 - CONTENT_SHARE) / CONTENT_SHARE) - 1 / moments
  const common = new Set(terms.flatMap(({ word }, at) => ((rarities[at] ?? 0) < least ? [word] : [])))
  const content = text.split(/\s+/).filter((chunk) => askedWordsOf(chunk).some((word) => !common.has(word)))
  return content.length > 0 ? content.join(' ') : text
}

function candidatesOf(judged: JudgedMoment[], near: NearFound, nearness: Nearness): Candidate[] {
  const byMoment = new Map<string, JudgedMoment>()
  for (const one of judged) {
    const known = byMoment.get(one.moment.id)
    byMoment.set(one.moment.id, known ? { ...known, evidence: joined(known.evidence, one.evidence) } : one)
  }
  const texts = [...byMoment.values()].map(({ moment, evidence }) => ({
    moment,
    evidence,
    meant: near.moments.get(moment.id) ?? 0,
    cosine: nearness.moments.get(moment.id) ?? null,
    itemCosine: nearness.items.get(moment.mediaId) ?? null,
  }))
  const looks = near.looks.map(({ moment, probability }) => ({
    moment,
    evidence: null,
    meant: probability,
    cosine: null,
    itemCosine: null,
  }))
  return [...texts, ...looks]
}

function joined(one: Evidence, other: Evidence): Evidence {
  const greater = (these: number[], those: number[]) => these.map((figure, at) => Math.max(figure, those[at] ?? 0))
  return {
    ...one,
    strengths: greater(one.strengths, other.strengths),
    counts: greater(one.counts, other.counts),
    shares: greater(one.shares, other.shares),
  }
}

/** The best of each first. */
function alternating(these: string[], those: string[]): string[] {
  return Array.from({ length: Math.max(these.length, those.length) }, (_, at) => [these[at], those[at]])
    .flat()
    .filter((id) => id !== undefined)
}
