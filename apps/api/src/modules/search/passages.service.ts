import type { MediaType, SearchResult, Source } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Caller } from '../../caller.ts'
import type { PathSigner } from '../../platform/lib/path-signer.ts'
import type { SearchHit } from './hits.ts'
import type { ItemMomentsStore, ItemRow, MomentContext } from './indexing/item-moments.store.ts'
import type { StemsStore } from './indexing/words.store.ts'
import type { MemoryStore, MomentRow, ResultRow } from './memory.store.ts'
import { certaintyOf, presentResult, snippetOf } from './present.ts'
import type { Retrieval } from './retrieval.ts'
import { understand } from './understand.ts'

const MAX_PASSAGE_CHARACTERS = 2000
const MAX_TITLE_CHARACTERS = 100
const SENTENCE_END = /(?=\s)(?<=[.!?…。！？]["'”’»)]*)\s+|\n+/u

/**
 * Text of a moment, completed so that it can be understood on its own. For a text or speech: the title of its page, the
 * sentence before, the moment itself, and the sentence after. For a name or a picture: the item's caption and text, and
 * the moment itself.
 */
export function passageText(
  { moment, matched }: Pick<SearchHit, 'moment' | 'matched'>,
  row: Pick<ResultRow, 'caption' | 'extractedText'>,
  context: MomentContext | undefined,
): string {
  const isText = matched !== 'looks' && (moment.kind === 'text' || moment.kind === 'speech')
  const parts = isText
    ? [
        titleIn(context?.beginning ?? null),
        sentencesOf(context?.before).at(-1),
        moment.body,
        sentencesOf(context?.after)[0],
      ]
    : [row.caption, row.extractedText, moment.body]
  const present = parts.filter((part): part is string => typeof part === 'string' && part.trim() !== '')
  // Repeated parts are left out: the first text of a page already contains the page's title.
  const distinct = present.filter(
    (part, index) => present.indexOf(part) === index && (part === moment.body || !moment.body.includes(part)),
  )
  return cutText(distinct.join('\n').trim(), MAX_PASSAGE_CHARACTERS).toWellFormed()
}

/** First line of a page, if it's short enough to be its title. */
function titleIn(beginning: string | null): string | null {
  const line = beginning?.trim().split('\n')[0]?.trim() ?? ''
  return line !== '' && line.length <= MAX_TITLE_CHARACTERS ? line : null
}

function sentencesOf(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}

type Reader = Pick<Caller, 'userId' | 'language'>

/** Search of a user's memory for answering a question. */
export interface PassageQuery {
  text: string
  /** Earlier questions and answers, or the question in other words; these words count for less. */
  context?: string[] | undefined
  /** Text before the question, if the question makes no sense alone. */
  about?: string | undefined
  mediaTypes?: MediaType[] | undefined
  /** Range of the time when items were taken, or added if that's unknown: `from` is inclusive, `to` exclusive. */
  from?: Date | undefined
  to?: Date | undefined
  /** Ids of the items to search; undefined for all items. */
  items?: string[] | undefined
}

/** Part of a user's memory that may help to answer a question and can be understood on its own. */
export interface MemoryPassage {
  source: Omit<Source, 'n'>
  kind: SearchResult['found_in']
  /** Text, speech or description with the context before and after; at most 2 000 characters. */
  text: string
  itemName: string
  /** Time when the item was taken, or added if that's unknown. */
  itemDate: Date
  /** Local time at the place where the item was taken, such as 2024-07-14T09:28:00; null when unknown. */
  takenLocal: string | null
  certainty: 'found' | 'perhaps'
  /** Probability that the passage was meant by the question, 0 to 1. */
  probability: number
}

/** Passages of an item for a question about it. */
export interface ItemPassages extends ItemRow {
  /** Passages that match the question, best first, then others from the beginning of the item. */
  passages: (MemoryPassage & { isMatch: boolean })[]
  /** True when the passages cover everything known about the item. */
  isComplete: boolean
}

export interface PassagesDeps {
  store: Pick<MemoryStore, 'readResults' | 'readMoments'>
  items: ItemMomentsStore
  stems: StemsStore
  retrieval: Retrieval
  signedPaths: PathSigner
}

/** Search of a user's memory for answers; not recorded as one of the user's searches. */
export type PassagesService = ReturnType<typeof createPassagesService>

/** Maximum matches of a question per attached item. */
const MAX_MATCHES_PER_ITEM = 8
const MAX_MOMENTS_PER_ITEM = 60
/** Probability from which a passage of an attached item counts as a match; other passages are read in order. */
const MIN_MATCH_PROBABILITY = 0.2
/** Characters that a passage takes in a prompt in addition to its text. */
const LOCATION_CHARACTERS = 90
const MAX_QUESTION_CHARACTERS = 4000
/** Maximum wait of an answer for an embedding engine. */
const MAX_WAIT_MS = 3000

export function createPassagesService(deps: PassagesDeps) {
  const { store, items, stems, retrieval, signedPaths } = deps

  const present = async (userId: string, hits: SearchHit[]): Promise<FoundPassage[]> => {
    if (hits.length === 0) return []
    const moments = hits.map(({ moment }) => moment)
    const [rows, contexts] = await Promise.all([
      store.readResults(userId, moments),
      items.readContexts(
        userId,
        moments.map(({ id }) => id),
      ),
    ])
    const contextById = new Map(contexts.map((context) => [context.id, context]))
    const sign = (path: string) => signedPaths.sign(userId, path)
    return hits.flatMap((hit, index) => {
      const row = rows[index]
      if (!row) return []
      const result = presentResult(hit, row, { phrases: [], typedText: '', sign })
      return [asPassage(hit, row, result, contextById.get(hit.moment.id))]
    })
  }

  const search = async (
    reader: Reader & Partial<Pick<Caller, 'timeZone'>>,
    query: PassageQuery,
    limit: number,
  ): Promise<FoundPassage[]> => {
    const { userId, language, timeZone = 'UTC' } = reader
    const { text, context, about, ...narrowing } = query
    const question = cutText(text, MAX_QUESTION_CHARACTERS)
    const understood = await understand(stems, { userId, language, timeZone }, question, {
      ...narrowing,
      isPlain: true,
    })
    const { hits, terms } = await retrieval.find(
      understood,
      { language: understood.language ?? language, by: 'moment', maxWaitMs: MAX_WAIT_MS, context, about },
      limit,
    )
    // A question such as "What is it?" has no words to search for.
    if (narrowing.items === undefined && terms.every(({ isStopWord }) => isStopWord)) return []
    return present(userId, hits)
  }

  return {
    /** Passages for a question, best first, even uncertain ones. */
    async find(
      reader: Reader & Pick<Caller, 'timeZone'>,
      query: PassageQuery,
      limit: number,
    ): Promise<MemoryPassage[]> {
      return (await search(reader, query, limit)).map(withoutMoment)
    },

    /** Passage of a moment; null when the moment isn't the user's. */
    async findByMoment(userId: string, momentId: string): Promise<MemoryPassage | null> {
      const [passage] = await present(userId, (await store.readMoments(userId, [momentId])).map(asHit))
      return passage === undefined ? null : withoutMoment(passage)
    },

    /**
     * Passages of each item for a question about these items: first those that match the question, then others from the
     * beginning of the item, until the characters are used up. Each item gets an equal share of the characters that the items
     * before it have left. Items of other users are left out.
     */
    async ofItems(reader: Reader, ids: string[], question: string, maxCharacters: number): Promise<ItemPassages[]> {
      const { userId } = reader
      const rows = await items.readItems(userId, ids)
      if (rows.length === 0) return []
      const ownIds = rows.map(({ mediaId }) => mediaId)
      const limit = MAX_MATCHES_PER_ITEM * ownIds.length
      const [matching, moments] = await Promise.all([
        search(reader, { text: question, items: ownIds }, limit),
        items.readBeginnings(userId, ownIds, MAX_MOMENTS_PER_ITEM),
      ])
      const allMatches = matching.filter(
        ({ moment, probability }) => moment.kind !== 'name' && probability >= MIN_MATCH_PROBABILITY,
      )
      let remainingCharacters = maxCharacters
      const selections = rows.map((row, index) => {
        const isOfItem = ({ mediaId }: MomentRow) => mediaId === row.mediaId
        const matches = allMatches.filter(({ moment }) => isOfItem(moment))
        const matchedIds = new Set(matches.map(({ moment }) => moment.id))
        const all = moments.filter(isOfItem)
        const beginning = all.filter(({ id }) => !matchedIds.has(id))
        let rowCharacters = remainingCharacters / (rows.length - index)
        const takes = (text: string, isFirst: boolean) => {
          rowCharacters -= text.length + LOCATION_CHARACTERS
          if (rowCharacters < 0 && !isFirst) return false
          remainingCharacters -= text.length + LOCATION_CHARACTERS
          return true
        }
        const keptMatches = takeWhile(matches, ({ text }, index) => takes(text, index === 0))
        const keptBeginning = takeWhile(beginning, ({ body }, index) =>
          takes(body, index === 0 && keptMatches.length === 0),
        )
        const isComplete =
          keptMatches.length === matches.length &&
          keptBeginning.length === beginning.length &&
          all.length < MAX_MOMENTS_PER_ITEM
        return { row, keptMatches, keptBeginning, isComplete }
      })
      const beginnings = selections.flatMap(({ keptBeginning }) => keptBeginning.map(asHit))
      const passages = new Map((await present(userId, beginnings)).map((passage) => [passage.moment.id, passage]))
      return selections.map(({ row, keptMatches, keptBeginning, isComplete }) => ({
        ...row,
        isComplete,
        passages: [
          ...keptMatches.map((passage) => ({ ...withoutMoment(passage), isMatch: true })),
          ...keptBeginning.flatMap(({ id, body }) => {
            const passage = passages.get(id)
            if (passage === undefined) return []
            return [{ ...withoutMoment(passage), text: body.trim().toWellFormed(), isMatch: false }]
          }),
        ],
      }))
    },
  }
}

/** A passage with the moment that it's made from. */
type FoundPassage = MemoryPassage & { moment: MomentRow }

function withoutMoment({ moment: _, ...passage }: FoundPassage): MemoryPassage {
  return passage
}

/** A moment in the form of a hit, though no search found it. */
function asHit(moment: MomentRow): SearchHit {
  return {
    key: moment.id,
    moment,
    foundIn: moment.kind,
    matched: 'words',
    score: 0,
    probability: 0,
    matchedWords: new Set(),
    guesses: [],
    hasTypedWord: false,
    isNamed: false,
  }
}

function takeWhile<Item>(list: Item[], takes: (item: Item, index: number) => boolean): Item[] {
  const end = list.findIndex((item, index) => !takes(item, index))
  return end === -1 ? list : list.slice(0, end)
}

function asPassage(
  hit: SearchHit,
  row: ResultRow,
  result: ReturnType<typeof presentResult>,
  context: MomentContext | undefined,
): FoundPassage {
  const { moment } = hit
  const text = passageText(hit, row, context)
  // Words in a file name aren't marked as matches: the question is about the contents and already has the name.
  const snippet = moment.kind === 'name' ? snippetOf(text, new Set(), []).content : result.content
  return {
    source: {
      media_id: result.media_id,
      media_type: result.media_type,
      title: result.original_filename,
      snippet,
      ...(result.timestamp_seconds === null ? {} : { timestamp_seconds: result.timestamp_seconds }),
      ...(result.page === null ? {} : { page: result.page }),
      ...(result.page_kind === undefined ? {} : { page_kind: result.page_kind }),
      ...(result.page_title === undefined ? {} : { page_title: result.page_title }),
      ...(result.frame_number === null ? {} : { frame_number: result.frame_number }),
      thumbnail: result.thumbnail,
      url: result.url,
    },
    text,
    kind: result.found_in,
    itemName: row.originalFilename,
    itemDate: row.timestamp,
    takenLocal: row.takenLocal,
    certainty: certaintyOf(hit),
    probability: hit.probability,
    moment,
  }
}
