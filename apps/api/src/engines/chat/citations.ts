import type { Source } from '@mira/shared'
import { guessLanguage, indicatesLanguage } from '../../offline/language/language.ts'
import { wholeWords } from '../../platform/lib/searched-form.ts'
import type { EngineEvent, Passage } from '../chat-engine.ts'

/** Minimum share of a sentence's words in the passage. */
const MIN_SHARE = 0.25
/** Words are compared by this many first letters, since most inflected forms of a word differ only after them. */
const STEM_LETTERS = 5
const MIN_WORD_LENGTH = 3

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * Checks if a passage can support a sentence: a cheap comparison of words that catches unrelated citations, but not
 * contradictions.
 *
 * A quarter of the sentence's words must occur in the passage, not counting frequent words and those of the file's name. Words
 * are compared by their first five letters. When both are clearly in different languages, only the sentence's numbers must occur.
 */
function supports(sentence: string, { source, text }: Passage): boolean {
  const name = contentWords(source.title)
  const sentenceWords = contentWords(sentence)
  const passageWords = contentWords(text)
  const comparedWords = [...sentenceWords].filter((word) => !name.has(word))
  if (comparedWords.length === 0) return sentenceWords.size > 0
  const isNumber = (word: string) => /^\p{N}/u.test(word)
  const shared = comparedWords.filter((word) => passageWords.has(word))
  const [sentenceLanguage, passageLanguage] = [guessLanguage(sentence), guessLanguage(text)]
  if (sentenceLanguage !== null && passageLanguage !== null && sentenceLanguage !== passageLanguage) {
    return comparedWords.every((word) => !isNumber(word) || passageWords.has(word))
  }
  return shared.length / comparedWords.length >= MIN_SHARE
}

/** The content words of a text, without accents and cut to their stem. */
function contentWords(text: string): Set<string> {
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(wholeWords(text))) {
    if (!isWordLike) continue
    // File names separate words by dots and underscores.
    for (const part of segment.split(/[._]/)) {
      const word = part
        .normalize('NFD')
        .replace(/\p{Mn}/gu, '')
        .toLowerCase()
      const isShort = word.length < MIN_WORD_LENGTH && /^\p{Script=Latin}*$/u.test(word)
      if (word === '' || isShort || indicatesLanguage(word)) continue
      words.add(/^\p{N}/u.test(word) ? word : word.slice(0, STEM_LETTERS))
    }
  }
  return words
}

/** A piece of an answer: backticks, a citation with the space before it, the end of a sentence, or plain text. */
const PIECE =
  /(?<ticks>`+)|(?<marker>(?:(?<![ \t])[ \t]+)?\[\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\])|(?<end>\n|(?<![.!?…。！？])[.!?…。！？]+["'”’»)]*(?=[\s[]|$))|(?<other>[^`[\s.!?…。！？]+|[\s\S])/uy
/** A piece at the end that may continue as a citation, as backticks or as the end of a sentence. */
const UNFINISHED =
  /(?:(?:(?<![ \t])[ \t]+)?\[[\d\s,;–-]{0,40}|(?<![ \t])[ \t]+|(?<!`)`+|(?<![.!?…。！？])[.!?…。！？]+["'”’»)]*)$/u
/**
 * A citation whose passage doesn't support the sentence so far is held back, together with the text that follows, until the
 * sentence ends. Text longer than this isn't held back any further.
 */
const MAX_BUFFERED_CHARACTERS = 600

interface BufferedPiece {
  text: string
  /** Numbers of a citation that is only kept if its passages support the complete sentence; undefined for text. */
  numbers?: number[]
}

/**
 * Removes citations whose passage doesn't support the sentence. Renumbers the other citations in order of their first use, and
 * sends the updated sources with each new one. Leaves code unchanged, and all text as long as there are no passages.
 * @param citedBefore sources already cited by a resumed answer, with the engine's numbers.
 */
export async function* withCitations(
  answer: AsyncIterable<EngineEvent>,
  passages: Passage[],
  citedBefore: Source[] = [],
): AsyncGenerator<EngineEvent> {
  const reader = createCitationReader(passages, citedBefore)
  try {
    for await (const event of answer) {
      if (event.type === 'text') yield* reader.add(event.text)
      else if (event.type === 'passages') reader.addPassages(event.passages)
      else {
        if (event.type === 'end' || event.type === 'rethink') yield* reader.end()
        yield event
      }
    }
  } catch (error) {
    yield* reader.end()
    throw error
  }
}

interface CitationReader {
  /** Passages that can be cited from now on. */
  addPassages(passages: Passage[]): void
  add(text: string): EngineEvent[]
  /** Flushes buffered text. */
  end(): EngineEvent[]
}

function createCitationReader(passages: Passage[], citedBefore: Source[]): CitationReader {
  const byNumber = new Map(passages.map((passage) => [passage.source.n, passage]))
  /** Sources cited so far by the engine's numbers, in the order of the numbers shown. */
  const cited = new Map(citedBefore.map((source) => [source.n, source]))
  let unread = ''
  let bufferedPieces: BufferedPiece[] = []
  /** The sentence being written and the one before it, without citations. */
  let sentence = ''
  let previous = ''
  /** Backticks that opened the current code; '' outside code. */
  let codeTicks = ''

  const isSupported = (claim: string, number: number) => {
    const passage = byNumber.get(number)
    return passage !== undefined && supports(claim, passage)
  }

  /** Emits text followed by citations. When one of them cites a new source, emits the list of sources first. */
  const emitCitations = function* (before: string, numbers: number[]): Generator<EngineEvent> {
    if (numbers.length === 0) return
    const sizeBefore = cited.size
    for (const number of numbers) {
      const passage = byNumber.get(number)
      if (passage && !cited.has(number)) cited.set(number, { ...passage.source, n: cited.size + 1 })
    }
    if (cited.size > sizeBefore) yield { type: 'sources', sources: [...cited.values()] }
    yield { type: 'text', text: before + numbers.map((number) => `[${cited.get(number)?.n}]`).join('') }
  }

  const flushBuffered = function* (sentence: string): Generator<EngineEvent> {
    for (const { text, numbers } of bufferedPieces) {
      if (numbers === undefined) yield { type: 'text', text }
      else
        yield* emitCitations(
          text,
          numbers.filter((number) => isSupported(sentence, number)),
        )
    }
    bufferedPieces = []
  }

  const emitOrBuffer = function* (text: string): Generator<EngineEvent> {
    if (bufferedPieces.length === 0) yield { type: 'text', text }
    else bufferedPieces.push({ text })
  }

  const readMarker = function* (marker: string): Generator<EngineEvent> {
    const numbers = numbersIn(marker)
    const validNumbers = numbers.filter((number) => byNumber.has(number))
    // Several numbers in brackets, none of them a passage's, aren't a citation.
    if (validNumbers.length === 0 && numbers.length > 1) return yield* emitOrBuffer(marker)
    const before = /^[ \t]*/.exec(marker)?.[0] ?? ''
    const claim = sentence.trim() === '' ? previous : sentence
    const supported = validNumbers.filter((number) => isSupported(claim, number))
    if (bufferedPieces.length === 0) yield* emitCitations(before, supported)
    else if (supported.length > 0) bufferedPieces.push({ text: before, numbers: supported })
    const unsupported = validNumbers.filter((number) => !supported.includes(number))
    if (unsupported.length > 0) bufferedPieces.push({ text: supported.length > 0 ? '' : before, numbers: unsupported })
  }

  const read = function* (isLast: boolean): Generator<EngineEvent> {
    const unfinished = isLast ? '' : (UNFINISHED.exec(unread)?.[0] ?? '')
    const readable = unread.slice(0, unread.length - unfinished.length)
    unread = unfinished
    PIECE.lastIndex = 0
    for (let match = PIECE.exec(readable); match; match = PIECE.exec(readable)) {
      const [piece] = match
      const { ticks, marker, end } = match.groups ?? {}
      if (ticks !== undefined) {
        if (codeTicks === '') codeTicks = ticks
        else if (codeTicks === ticks) codeTicks = ''
      } else if (codeTicks === '' && marker !== undefined) {
        yield* readMarker(marker)
        continue
      }
      yield* emitOrBuffer(piece)
      sentence += piece
      if (end !== undefined && codeTicks === '') {
        yield* flushBuffered(sentence)
        if (sentence.trim() !== '') previous = sentence
        sentence = ''
      } else if (bufferedPieces.reduce((sum, { text }) => sum + text.length, 0) > MAX_BUFFERED_CHARACTERS) {
        yield* flushBuffered(sentence)
      }
    }
    if (isLast) yield* flushBuffered(sentence)
  }

  return {
    addPassages: (newPassages) => {
      for (const passage of newPassages) byNumber.set(passage.source.n, passage)
    },
    add(text) {
      if (byNumber.size === 0) return [{ type: 'text', text }]
      unread += text
      return joinTexts(read(false))
    },
    end: () => joinTexts(read(true)),
  }
}

function numbersIn(marker: string): number[] {
  const numbers = marker.split(/[,;]/).flatMap((part) => {
    const [from = 0, to = from] = (part.match(/\d+/g) ?? []).map(Number)
    return to > from && to - from < 10 ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : [from, to]
  })
  return [...new Set(numbers)]
}

/** Joins adjacent text events. */
function joinTexts(events: Iterable<EngineEvent>): EngineEvent[] {
  const all: EngineEvent[] = []
  for (const event of events) {
    const last = all.at(-1)
    if (event.type === 'text' && last?.type === 'text') last.text += event.text
    else all.push(event)
  }
  return all
}
