import type { Source } from '@mira/shared'
import type { ItemMomentsStore, ItemRow } from './item-moments.store.ts'
import { MARK, UNMARK } from './matching.ts'
import type { MeaningSearch } from './meaning.ts'
import type { MemoryStore, MomentRow, ResultRow, SearchScope } from './memory.store.ts'
import { presentResult } from './present.ts'
import { type FoundPlace, rankPlaces } from './ranking.ts'
import type { StemsStore } from './stems.store.ts'
import type { StemmedLanguage } from './stems.ts'
import { isTelling, type Term, termsOf, wordsOf } from './terms.ts'
import type { WordSearch } from './words.ts'

/** Who asks a question. */
export interface PassageReader {
  userId: string
  /** ISO 639-1 code, for words whose language cannot be told. */
  language: string
}

/** A place in a person's memory that may answer a question. */
export interface MemoryPassage {
  source: Omit<Source, 'n'>
  /** What stands, is said or is to be seen there; at most 1 200 characters. */
  text: string
  /** 0 to 1. */
  score: number
}

/** What an item holds that a question about it may need. */
export interface ItemPassages extends ItemRow {
  /** Those that the question leads to, best first, then the item from its beginning. */
  passages: (MemoryPassage & { isMatch: boolean })[]
  /** Whether they are all that is known of it. */
  isWhole: boolean
}

export interface PassagesDeps {
  store: Pick<MemoryStore, 'readResults'>
  items: ItemMomentsStore
  stems: StemsStore
  words: Pick<WordSearch, 'find'>
  meaning: Pick<MeaningSearch, 'find'>
  /** The language of a text, else of its reader; null when it has no stems here. */
  languageOf(text: string, readerLanguage: string): StemmedLanguage | null
  signPath(userId: string, path: string): string
  /** Beyond this, words alone are searched: an embedding server may be slow. */
  meaningTimeoutMs?: number | undefined
}

/** Finds what helps to answer a question; not a search of the person's own, so it is not recorded as one. */
export type PassagesService = ReturnType<typeof createPassagesService>

/** Below this, what a question holds besides is about something else; searching shows more, because a person judges it. */
const LEAST_SCORE = 0.3
/** What questions say of any text whatever: beside other words, these are not looked for. */
const talkingWords = new Set(
  `say says said tell tells told write writes wrote written mention mentions mentioned explain describe summarize summarise
   contain contains according remember know happen happened
   dice dicen dijo dicho pone escribe escrito escrita menciona explica describe resume contiene según recuerda sabes
   dit disent écrit écrite mentionne explique décris résume contient selon rappelle sais
   sagt sagte gesagt steht stehen geschrieben erwähnt erkläre beschreibe zusammenfassen enthält laut erinnere weißt`.split(
    /\s+/,
  ),
)
/** Of items that a question is about. */
const MOST_MATCHES_PER_ITEM = 8
const MOST_MOMENTS_PER_ITEM = 60
/** What a passage takes besides its text. */
const PLACE_CHARACTERS = 90
const LONGEST_QUESTION_CHARACTERS = 500
const MOST_WORDS = 24
const LONGEST_WORD = 100
const LONGEST_TEXT_CHARACTERS = 1200
const JUDGED_MOMENTS = 60
const NEAR_MOMENTS = 30
const MEANING_TIMEOUT_MS = 200

export function createPassagesService(deps: PassagesDeps) {
  const { store, items, stems, words, meaning, languageOf, meaningTimeoutMs = MEANING_TIMEOUT_MS } = deps

  const findMeaning = async (scope: SearchScope, text: string) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, meaningTimeoutMs, null)
    })
    const found = await Promise.race([meaning.find(scope, text, NEAR_MOMENTS), late])
    clearTimeout(timer)
    return found?.hits ?? []
  }

  const present = async (userId: string, places: FoundPlace[], terms: Term[]): Promise<FoundPassage[]> => {
    if (places.length === 0) return []
    const rows = await store.readResults(
      userId,
      places.map(({ moment }) => moment),
    )
    const sign = (path: string) => deps.signPath(userId, path)
    return places.flatMap((place, at) => {
      const row = rows[at]
      return row ? [asPassage(place, row, presentResult(place, row, { terms, typed: '', sign }))] : []
    })
  }

  const search = async (
    reader: PassageReader,
    question: string,
    limit: number,
    only: string[] | undefined,
  ): Promise<FoundPassage[]> => {
    const { userId } = reader
    const chunks = question
      .slice(0, LONGEST_QUESTION_CHARACTERS)
      .split(/\s+/)
      .filter((chunk) => /[\p{L}\p{N}]/u.test(chunk))
      .slice(0, MOST_WORDS)
      .map((chunk) => chunk.slice(0, LONGEST_WORD))
    const typed = chunks.join(' ')
    const language = languageOf(typed, reader.language)
    const asked = chunks.flatMap(wordsOf)
    const known = await stems.stemsOf(asked)
    if (!asked.some((word) => isTelling(word, language, known))) return []
    const about = chunks.filter((chunk) => !wordsOf(chunk).every((word) => talkingWords.has(word)))
    const isAbout = about.flatMap(wordsOf).some((word) => isTelling(word, language, known))
    const terms = termsOf({ ...noFilters, words: isAbout ? about : chunks }, language, known).map(asWritten)
    const scope: SearchScope = {
      ...{ userId, items: only, types: null, tags: [], from: null, to: null, phrases: [], excluded: null },
      includesFrames: true,
    }
    const [found, near] = await Promise.all([
      words.find(scope, terms, limit, JUDGED_MOMENTS),
      findMeaning(scope, typed),
    ])
    const ranked = rankPlaces(found.hits, found.weights, near, limit)
    // of what a question is about, every place counts
    const isSure = ({ score }: FoundPlace) => only !== undefined || score >= LEAST_SCORE
    const places = withoutBareNames(ranked.filter(isSure))
    return present(userId, places, terms)
  }

  return {
    /** The places that the words or the meaning of a question lead to, best first; none when it says nothing. */
    find: (reader: PassageReader, question: string, limit: number): Promise<MemoryPassage[]> =>
      search(reader, question, limit, undefined),

    /**
     * What items hold for a question about them, as far as it fits: of a long one the places that the question leads to,
     * then its beginning. Items that are not the person's are left out; those that come first have the room first.
     */
    async ofItems(
      reader: PassageReader,
      ids: string[],
      question: string,
      mostCharacters: number,
    ): Promise<ItemPassages[]> {
      const { userId } = reader
      const rows = await items.readItems(userId, ids)
      if (rows.length === 0) return []
      const own = rows.map(({ mediaId }) => mediaId)
      const limit = MOST_MATCHES_PER_ITEM * own.length
      const [matching, moments] = await Promise.all([
        search(reader, question, limit, own),
        items.readBeginnings(userId, own, MOST_MOMENTS_PER_ITEM),
      ])
      const told = matching.filter(({ moment }) => moment.kind !== 'name')
      let left = mostCharacters
      const chosen = rows.map((row, at) => {
        const isOfItem = ({ mediaId }: MomentRow) => mediaId === row.mediaId
        const matches = told.filter(({ moment }) => isOfItem(moment))
        const isMatched = new Set(matches.map(({ moment }) => moment.id))
        const all = moments.filter(isOfItem)
        const beginning = all.filter(({ id }) => !isMatched.has(id))
        let room = left / (rows.length - at)
        const isFitting = (text: string, isFirst: boolean) => {
          room -= text.length + PLACE_CHARACTERS
          if (room < 0 && !isFirst) return false
          left -= text.length + PLACE_CHARACTERS
          return true
        }
        const keptMatches = whileTrue(matches, ({ text }, index) => isFitting(text, index === 0))
        const keptBeginning = whileTrue(beginning, ({ body }, index) =>
          isFitting(body, index === 0 && keptMatches.length === 0),
        )
        const isWhole =
          keptMatches.length === matches.length &&
          keptBeginning.length === beginning.length &&
          all.length < MOST_MOMENTS_PER_ITEM
        return { row, keptMatches, keptBeginning, isWhole }
      })
      const begun = chosen.flatMap(({ keptBeginning }) => keptBeginning.map(asPlace))
      const shown = new Map((await present(userId, begun, [])).map((passage) => [passage.moment.id, passage]))
      return chosen.map(({ row, keptMatches, keptBeginning, isWhole }) => ({
        ...row,
        isWhole,
        passages: [
          ...keptMatches.map(({ moment: _, ...passage }) => ({ ...passage, isMatch: true })),
          ...keptBeginning.flatMap(({ id, body }) => {
            const found = shown.get(id)
            if (found === undefined) return []
            const { moment: _, ...passage } = found
            return [{ ...passage, text: body.trim().toWellFormed(), isMatch: false }]
          }),
        ],
      }))
    },
  }
}

/** A passage with the moment that it is. */
type FoundPassage = MemoryPassage & { moment: MomentRow }

const noFilters = { phrases: [], excluded: [], types: null, tags: [], from: null, to: null }

/** The person has typed the question to its end. */
function asWritten(term: Term): Term {
  return term.kind === 'word' ? { ...term, isLast: false } : term
}

/** A moment that nothing was looked for in. */
function asPlace(moment: MomentRow): FoundPlace {
  return { key: moment.id, moment, matched: 'words', score: 0, matchedWords: new Set() }
}

/** The first of a list, for as long as a condition holds. */
function whileTrue<Item>(list: Item[], isFine: (item: Item, index: number) => boolean): Item[] {
  const end = list.findIndex((item, index) => !isFine(item, index))
  return end === -1 ? list : list.slice(0, end)
}

/** That a file is called so says nothing more beside a place inside it. */
function withoutBareNames(places: FoundPlace[]): FoundPlace[] {
  const isInside = ({ moment }: FoundPlace) => moment.kind !== 'name'
  const shown = new Set(places.filter(isInside).map(({ moment }) => moment.mediaId))
  return places.filter((place) => isInside(place) || !shown.has(place.moment.mediaId))
}

function asPassage(place: FoundPlace, row: ResultRow, shown: ReturnType<typeof presentResult>): FoundPassage {
  const { moment } = place
  // a name or a picture alone answers nothing: what is known of it does
  const isText = place.matched !== 'looks' && (moment.kind === 'text' || moment.kind === 'speech')
  const parts = isText ? [moment.body] : [row.caption, row.extractedText, moment.body]
  const text = [...new Set(parts.filter((part): part is string => part !== null && part.trim() !== ''))].join('\n')
  return {
    source: {
      media_id: shown.media_id,
      media_type: shown.media_type,
      title: shown.original_filename,
      snippet: shown.content.replaceAll(MARK, '').replaceAll(UNMARK, ''),
      ...(shown.timestamp_seconds === null ? {} : { timestamp_seconds: shown.timestamp_seconds }),
      ...(shown.page === null ? {} : { page: shown.page }),
      ...(shown.frame_number === null ? {} : { frame_number: shown.frame_number }),
      thumbnail: shown.thumbnail,
      url: shown.url,
    },
    text: text.trim().slice(0, LONGEST_TEXT_CHARACTERS).toWellFormed(),
    score: place.score,
    moment,
  }
}
