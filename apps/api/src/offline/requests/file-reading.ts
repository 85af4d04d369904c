import type { FileFormat, MediaSort, MediaType } from '@mira/shared'
import { DateTime } from 'luxon'
import { guessLanguage } from '../language/language.ts'
import { joinedTimes, readTimes, type TimePhrase } from '../phrases/times.ts'
import {
  anyItem,
  firstAtStart,
  firstWords,
  lastOrFirstAtEnd,
  lastWords,
  myWords,
  otherDateQuestions,
  otherDateWords,
  ownDateQuestions,
  titledItem,
} from './file-date-words.ts'
import {
  cleanTopic,
  isIn,
  nounIn,
  readAfter,
  readBefore,
  type TextAfterNoun,
  type TextBeforeNoun,
  wordsOf,
} from './file-phrases.ts'
import {
  addingVerbs,
  askingWords,
  commandWords,
  continuing,
  countWords,
  courtesy,
  drawingStyles,
  drawingVerbs,
  emptyWords,
  futureWords,
  germanRequestOpening,
  inPrograms,
  mustWords,
  otherActions,
  otherRequests,
  ownWords,
  pastVerbAtEnd,
  pleases,
  programs,
  publishedMusic,
  publishedWorks,
  questionWords,
  rankingWords,
  requestWords,
  seekWords,
  showingVerbs,
  singularNoun,
  sizeWords,
  storageWords,
  tagPattern,
  topicLinks,
  unclearRequest,
  uploadVerbs,
} from './file-words.ts'
import type { RequestContext } from './reading.ts'

/** A question about a user's items. */
export interface FileQuestion {
  /** `date` is the time when an item was added or taken. */
  wish: 'size' | 'count' | 'find' | 'list' | 'date'
  /** Null for any. */
  type: MediaType | null
  /** Null for any. */
  formats: readonly FileFormat[] | null
  topic: string | null
  tag: string | null
  /** `from` is inclusive, `to` exclusive. */
  days: { from: Date; to: Date } | null
  /** The words that named the days, which are searched for as well; empty without days. */
  daysText: string
  /** True when `days` and `sort` mean the time added, not the time taken: "what did I upload yesterday". */
  isByTimeAdded: boolean
  /** Null when no order is requested. */
  sort: MediaSort | null
  count: number
  /** True when the sentence can hardly mean anything else. */
  isSure: boolean
}

const DEFAULT_COUNT = 10
const MAX_CHARACTERS = 500
/** Limit of a phrase such as "photos of the beach". */
const MAX_PHRASE_WORDS = 12
const MAX_SUBJECT_WORDS = 3

/** Reads a question about the user's items; null when it isn't one. */
export function readFileQuestion(text: string, reader: RequestContext): FileQuestion | null {
  if (text.length > MAX_CHARACTERS) return null
  const sentence = text.normalize('NFC')
  const { request, isContinued } = withoutCourtesy(sentence)
  const dateQuestion = readDateQuestion(request, reader)
  if (dateQuestion !== null) return dateQuestion
  if (otherActions.test(request) || otherRequests.test(sentence) || isOtherGermanWish(sentence)) return null
  if (isDrawingRequest(request)) return null
  const isOwn = ownWords.test(request)
  // Reading times is the slowest step, so it's skipped for sentences that can't be about files.
  if (nounIn(request) === null && !seekWords.test(request) && !(isOwn && sizeWords.test(request))) return null
  const here = DateTime.fromJSDate(reader.now, { zone: reader.timeZone })
  const times = readTimes(request, here, guessLanguage(text) ?? reader.language).filter(({ isVague }) => !isVague)
  const { days, spans } = daysOf(times, request, here)
  const timeless = spans.reduce(
    (rest, { begin, end }) => rest.slice(0, begin) + ' '.repeat(end - begin) + rest.slice(end),
    request,
  )
  const tag = (tagPattern.exec(timeless) ?? tagPattern.exec(request))?.[1]?.trim() || null
  const isMeasuring = sizeWords.test(timeless)
  const daysText = spans.map(({ begin, end }) => request.slice(begin, end)).join(' ')
  const isByTimeAddedWith = (topic: string | null) =>
    uploadVerbs.test(timeless) || (topic === null && addingVerbs.test(timeless))
  const common = { tag, days, daysText }
  const noun = nounIn(timeless)
  const seekOpening = seekWords.exec(timeless)
  if (noun === null) {
    const topic = seekOpening === null ? null : cleanTopic(wordsOf(timeless.slice(seekOpening[0].length)))
    const isOfStorage = isMeasuring && isOwn && hasOnlyStorage(timeless)
    const wish = topic !== null ? 'find' : isOfStorage ? 'size' : null
    if (wish === null) return null
    return {
      ...common,
      wish,
      type: null,
      formats: null,
      topic,
      isByTimeAdded: isByTimeAddedWith(topic),
      sort: null,
      count: DEFAULT_COUNT,
      isSure: wish === 'size',
    }
  }
  const { kind } = noun
  const countOpening = countWords.exec(timeless)?.[0]
  const opening = (seekOpening ?? requestWords.exec(timeless))?.[0] ?? ''
  const question = opening === '' ? (countOpening ?? questionWords.exec(timeless)?.[0]) : undefined
  const before = readBefore(noun.before.slice(opening.length + (question?.length ?? 0)).replace(sizeWords, ' '))
  // "this photo" is one that the user is looking at
  if (before.isPointing) return null
  const after = readAfter(noun.after, opening !== '' || isOwn || days !== null)
  const allTopics = [before.topic, kind.isTopic ? noun.word : '', after.topic].filter(Boolean).join(' ')
  // "how much space do my photos take": here, a topic needs a word such as "of"
  const topicText = isMeasuring ? (after.isLinked ? after.topic : '') : allTopics
  const topic = tag !== null || topicText === '' ? null : topicText
  const isByTimeAdded = isByTimeAddedWith(topic)
  const namedSort = before.sort ?? after.sort
  const sort = namedSort === 'newest' && isByTimeAdded ? 'added' : namedSort
  const isNarrowed = topic !== null || sort !== null || days !== null
  const isNamedAlone = kind.type !== null && question === undefined && topic === null
  if (
    !isNarrowed &&
    !isNamedAlone &&
    opening === '' &&
    countOpening === undefined &&
    !isMeasuring &&
    !isOwn &&
    tag === null
  )
    return null
  const hasExpectedForm =
    question === undefined
      ? !before.isStatement && !after.isPredicate && isPhrase(request, before, after)
      : isQuestion({ question, isOwn, isNarrowed, isPlural: !singularNoun.test(noun.word) }, before, after)
  // "give me feedback on …" wants something else, and so may "tengo una nota mala"
  const isRequest = opening !== '' && !(after.link === 'other' && unclearRequest.test(opening))
  // "manual for the dishwasher pdf"
  const isOfFormat = kind.formats !== undefined && kind.matchesAnyType !== true && opening === ''
  const isTotal = isMeasuring && topic === null && sort === null
  // "how big are my videos of Leo", but not "how much space do photos take on an iPhone"
  const isSizeOfOwnItems = tag !== null || (isOwn && (topic === null || isIn(topicLinks, wordsOf(noun.after)[0])))
  const isSearch = topic !== null && kind.matchesAnyType === true
  const isAboutOtherThings =
    !isOwn &&
    ((opening === '' && question === undefined && publishedMusic.test(noun.word) && !isByTimeAdded) ||
      (opening === '' && publishedWorks.test(noun.word) && rankingWords.test(before.topic)) ||
      (kind.type === null && (inPrograms.test(request) || (programs.test(request) && commandWords.test(request)))) ||
      // "quel était le film de 2019"
      pastVerbAtEnd.test(question ?? ''))
  return {
    ...common,
    wish: isTotal ? 'size' : countOpening !== undefined ? 'count' : topic === null ? 'list' : 'find',
    type: isSearch ? null : kind.type,
    formats: isSearch ? null : (kind.formats ?? null),
    topic,
    isByTimeAdded,
    sort,
    count: before.count ?? (sort !== null && singularNoun.test(noun.word) ? 1 : DEFAULT_COUNT),
    isSure:
      (isMeasuring ? isSizeOfOwnItems : isRequest || hasExpectedForm || tag !== null) &&
      !(isContinued && !isNarrowed && tag === null) &&
      !(((question ?? opening) !== '' || isMeasuring) && mustWords.test(request)) &&
      !futureWords.test(request) &&
      !isAboutOtherThings &&
      !(before.asksForOther && seekOpening === null && !isMeasuring && !isOfFormat),
  }
}

/**
 * Reads a question about the time when an item was added or taken: "when did I last upload a video"; null when it isn't one.
 * `sort` is null for the best match of a topic instead of the newest or oldest item.
 */
function readDateQuestion(request: string, reader: RequestContext): FileQuestion | null {
  const sentence = request.replace(/[\s?!.]+$/u, '')
  const matchOf = (patterns: readonly RegExp[]) =>
    patterns.map((pattern) => pattern.exec(sentence)?.groups).find(Boolean)
  const ownAction = matchOf(ownDateQuestions)
  const groups = ownAction ?? matchOf(otherDateQuestions)
  const item = groups?.what?.replace(lastOrFirstAtEnd, '')
  if (groups === undefined || item === undefined || otherDateWords.test(item)) return null
  const { add, save, take } = groups
  const isNewest = lastWords.test(sentence)
  const isOwn = ownAction !== undefined || myWords.test(item)
  const title = add === undefined ? undefined : titledItem.exec(item)?.groups?.topic
  const named = readFileQuestion(`show ${item}`, reader)
  if (named === null && title === undefined && !(anyItem.test(item) && take === undefined)) return null
  const { type = null, formats = null, topic = title ?? null, tag = null, days = null, daysText = '' } = named ?? {}
  // "the photo of my first birthday", "the letter from the first of May"
  const isOldest = firstWords.test(sentence) && !firstWords.test(`${topic ?? ''} ${daysText}`)
  const canBeTaken = type !== null && type !== 'document'
  const isWithoutVerb = take === undefined && add === undefined && save === undefined
  const isTaken = take !== undefined || (isWithoutVerb && canBeTaken)
  if (isTaken && !canBeTaken) return null
  const isOrdered = (isNewest || isOldest) && topic === null
  // "when was the last film by Kubrick shot", "when is my last film night"
  const isOfOwn = isWithoutVerb ? isOwn && isOrdered : isOwn || isOrdered
  if ((isTaken || isWithoutVerb) && !isOfOwn) return null
  // "when was the first photo taken" may ask for the history of photography, "when was the first emoji added" for that of emoji
  if (!isOwn && (isOldest || firstAtStart.test(item))) return null
  // "when is my first presentation" asks the calendar
  if (isOldest && isWithoutVerb && type === 'document') return null
  const newestFirst = isTaken ? 'taken' : 'added'
  return {
    wish: 'date',
    type,
    formats,
    topic,
    tag,
    days,
    daysText,
    isByTimeAdded: !isTaken,
    sort: isOldest ? 'oldest' : topic !== null && !isNewest ? null : newestFirst,
    count: 1,
    isSure: true,
  }
}

/** Removes courtesies; `isContinued` is true for a sentence that continues an earlier one. */
function withoutCourtesy(text: string): { request: string; isContinued: boolean } {
  const polite = text.replace(pleases, ' ').replace(courtesy, '')
  const full = polite.replace(continuing, '')
  const request = full.replace(courtesy, '').replace(/^(what|where)['’](?:s|re)(?!\p{L})/iu, '$1 is')
  const isVerbLast = germanRequestOpening.test(text) || /^kann ich/iu.test(text)
  return { request: (isVerbLast ? request.replace(showingVerbs, '') : request).trimEnd(), isContinued: full !== polite }
}

/** True for a request for a new picture: "ein Bild von Anna malen", "image of a cat in watercolor". */
function isDrawingRequest(request: string): boolean {
  if (seekWords.test(request) || (requestWords.test(request) && !unclearRequest.test(request))) return false
  return drawingVerbs.test(request) || (drawingStyles.test(request) && singularNoun.test(request))
}

/** True for a German request that ends with a verb other than one for showing: "ich möchte ein Foto bearbeiten". */
function isOtherGermanWish(text: string): boolean {
  return (
    germanRequestOpening.test(text) &&
    !showingVerbs.test(text) &&
    /^\p{Ll}+(?:en|ern|eln)$/u.test(wordsOf(text).at(-1) ?? '')
  )
}

/** True for a question about nothing but the whole storage. */
function hasOnlyStorage(text: string): boolean {
  return wordsOf(text.replace(sizeWords, ' ')).every((word) =>
    [emptyWords, askingWords, storageWords].some((set) => isIn(set, word)),
  )
}

/** True for a phrase that names items rather than a sentence: "photos of the beach". */
function isPhrase(text: string, before: TextBeforeNoun, { link, isStatement }: TextAfterNoun): boolean {
  return (
    (link === 'none' || link === 'word') &&
    !isStatement &&
    before.subjectWords <= MAX_SUBJECT_WORDS &&
    !/!\s*$/u.test(text) &&
    wordsOf(text).length <= MAX_PHRASE_WORDS
  )
}

/** True for a question about the user's items: "which videos mention a lighthouse", but not "what is a film". */
function isQuestion(
  {
    question,
    isOwn,
    isNarrowed,
    isPlural,
  }: { question: string; isOwn: boolean; isNarrowed: boolean; isPlural: boolean },
  before: TextBeforeNoun,
  { link, isStatement }: TextAfterNoun,
): boolean {
  if (before.topic !== '' && !isOwn) return false
  // "in which of my films …"
  if (isOwn && (link !== 'other' || /^(?:in|on|auf|sur|dans|en)(?!\p{L})/iu.test(question))) return !isStatement
  if (!isNarrowed) return false
  return link === 'verb' || (!isStatement && (link === 'none' || (link === 'word' && isPlural)))
}

const [FIRST_YEAR, LAST_YEAR] = [1, 9999]

/** Range of days of all times together, or of a bare year when there are none. `spans` are the positions of their words in the text. */
function daysOf(times: TimePhrase[], text: string, { zone }: DateTime) {
  const range = joinedTimes(times)
  const year = /(?<![\d.])((?:19|20)\d\d)(?!\d)/u.exec(text)
  if (range === null && year === null) return { days: null, spans: [] }
  const startOfYear = (number: number) => DateTime.fromObject({ year: number }, { zone })
  const { from, to } = range ?? { from: startOfYear(Number(year?.[1])), to: startOfYear(Number(year?.[1]) + 1) }
  const days = { from: (from ?? startOfYear(FIRST_YEAR)).toJSDate(), to: (to ?? startOfYear(LAST_YEAR)).toJSDate() }
  const spans = range === null && year ? [{ begin: year.index, end: year.index + year[0].length }] : times
  return { days, spans }
}
