import { guessLanguage, indicatesLanguage } from '../../offline/language/language.ts'
import { trackCodeAndFormulas } from '../../platform/lib/code-and-formulas.ts'
import { wholeWords } from '../../platform/lib/searched-form.ts'
import type { EngineEvent, PartialAnswer, Passage } from '../chat-engine.ts'

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

/** A piece of an answer: a citation with the space before it, the end of a sentence, a mark of code or formulas, or other text. */
const PIECE =
  /(?<marker>(?:(?<![ \t])[ \t]+)?\[(?=[\d\s,;–-]{1,40}\])\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\])|(?<growing>(?:(?<![ \t])[ \t]+)?\[[\d\s,;–-]{0,40}$|[ \t]+|`+|\$+|\\(?:begin|end)(?:\{[a-zA-Z]*\*?)?$|\\(?:(?:begin|end)\{[a-zA-Z]+\*?\}|[a-zA-Z]+|[^\s])?)|(?<stop>[.!?…。！？]+["'”’»)]*)|(?<newline>\n)|(?<other>[^`[\s.!?…。！？$\\]+|[\s\S])/uy
const CODE_PIECE = /(?<newline>\n)|(?<other>[^\n]+)/y
/** Signs that stand beside an interval or a vector, but not beside a citation. */
const SIGN_BEFORE = /[=∈∉⊂⊆∪∩≤≥≈≠×][ \t]*$/
const SIGN_AFTER = /^[ \t]*(?:[-+*/]?=|[∈∉⊂⊆∪∩≤≥≈≠×^])/
/** Nouns in all languages that name the numbers after them. */
const NOUN_BEFORE =
  /(?<!\p{L})(?:ve[ck]t(?:ors?|eur)|intervall?[eo]?s?|list[ae]?|array|arreglo|tableau|matri[xc]e?|tup[el]{2}|range|rango|plage|bereich|scale|skala|échelle|escala|numbers?|zahlen|nombres|números|values?|werte|valeurs|valores)[ \t]*$/iu
/** Words that a citation doesn't follow at the end of a sentence. */
const LINK_WORD_BEFORE =
  /(?<!\p{L})(?:of|in|on|or|over|is|are|to|from|between|von|aus|auf|ist|oder|über|zwischen|de|du|sur|est|ou|entre|dans|en|es|o)[ \t]*$/iu
/** Enough text to tell if it's a sign. */
const SIGN_KNOWN = /^[ \t]*(?:[^ \t\-+*/]|[-+*/][\s\S])/
/** Characters kept of the text before a piece. */
const TAIL_CHARACTERS = 80
/**
 * A citation whose passage doesn't support the sentence so far is held back, together with the text that follows, until the
 * sentence ends. Text longer than this isn't held back any further.
 */
const MAX_BUFFERED_CHARACTERS = 600

interface BufferedPiece {
  text: string
  /** Numbers of a citation that is only kept if its passages support the complete sentence; undefined for text. */
  numbers?: number[]
  /** Text in place of a citation without support. */
  otherwise?: string
}

/**
 * Removes citations whose passage doesn't support the sentence. Renumbers the other citations in order of their first use, and
 * sends the updated sources with each new one. Leaves code, formulas and other numbers in brackets unchanged, and all text as
 * long as there are no passages.
 * @param soFar the text and the cited sources, with the engine's numbers, of an answer that is resumed.
 */
export async function* withCitations(
  answer: AsyncIterable<EngineEvent>,
  passages: Passage[],
  soFar?: Pick<PartialAnswer, 'text' | 'sources'>,
): AsyncGenerator<EngineEvent> {
  const reader = createCitationReader(passages, soFar)
  try {
    for await (const event of answer) {
      if (event.type === 'text') yield* reader.add(event.text)
      else if (event.type === 'passages') reader.addPassages(event.passages)
      else if (event.type === 'pages') reader.setPages(event.urls)
      else {
        if (event.type === 'end' || event.type === 'rethink') yield* reader.end()
        yield event
        // Reasoning may leave code open. The text of a resumed answer is kept.
        if (event.type === 'rethink' && soFar === undefined) reader.restart()
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
  /** Pages that the model's server searched: their numbers become links. */
  setPages(urls: string[]): void
  add(text: string): EngineEvent[]
  /** Flushes buffered text. */
  end(): EngineEvent[]
  /** Begins another text. */
  restart(): void
}

function createCitationReader(
  passages: Passage[],
  soFar: Pick<PartialAnswer, 'text' | 'sources'> | undefined,
): CitationReader {
  const byNumber = new Map(passages.map((passage) => [passage.source.n, passage]))
  /** Sources cited so far by the engine's numbers, in the order of the numbers shown. */
  const cited = new Map(soFar?.sources.map((source) => [source.n, source]))
  /** Text that was sent without being read, because it can't cite anything. */
  let earlierText = soFar?.text ?? ''
  let unread = ''
  let bufferedPieces: BufferedPiece[] = []
  /** The sentence being written and the one before it, without citations. */
  let sentence = ''
  let previous = ''
  /** End of the text before the next piece. */
  let tail = ''
  let isLineStart = true
  /** True after numbers in brackets that aren't a citation. */
  let isAfterOther = false
  let structure = trackCodeAndFormulas()
  let pages: string[] = []

  const isSupported = (claim: string, number: number) => {
    const passage = byNumber.get(number)
    return passage !== undefined && supports(claim, passage)
  }

  /** Emits text followed by citations. When one of them cites a new source, emits the list of sources first. */
  const emitCitations = function* (before: string, numbers: number[], otherwise = ''): Generator<EngineEvent> {
    if (numbers.length === 0) {
      if (otherwise !== '') yield { type: 'text', text: otherwise }
      return
    }
    const sizeBefore = cited.size
    for (const number of numbers) {
      const passage = byNumber.get(number)
      if (passage && !cited.has(number)) cited.set(number, { ...passage.source, n: cited.size + 1 })
    }
    if (cited.size > sizeBefore) yield { type: 'sources', sources: [...cited.values()] }
    yield { type: 'text', text: before + numbers.map((number) => `[${cited.get(number)?.n}]`).join('') }
  }

  const flushBuffered = function* (): Generator<EngineEvent> {
    for (const { text, numbers, otherwise } of bufferedPieces) {
      if (numbers === undefined) yield { type: 'text', text }
      else {
        const supported = numbers.filter((number) => isSupported(sentence, number))
        yield* emitCitations(text, supported, otherwise)
      }
    }
    bufferedPieces = []
  }

  const emitOrBuffer = function* (text: string): Generator<EngineEvent> {
    if (bufferedPieces.length === 0) yield { type: 'text', text }
    else bufferedPieces.push({ text })
  }

  /** Adds text to the sentence. The buffer is flushed at the same character however the text was cut into pieces. */
  const addText = function* (text: string): Generator<EngineEvent> {
    let rest = text
    if (bufferedPieces.length > 0) {
      const bufferedCharacters = bufferedPieces.reduce((sum, piece) => sum + piece.text.length, 0)
      const flushIndex = Math.max(0, MAX_BUFFERED_CHARACTERS + 1 - bufferedCharacters)
      const fitting = text.slice(0, flushIndex)
      bufferedPieces.push({ text: fitting })
      sentence += fitting
      if (bufferedCharacters + fitting.length <= MAX_BUFFERED_CHARACTERS) return
      yield* flushBuffered()
      rest = text.slice(fitting.length)
    }
    if (rest !== '') yield { type: 'text', text: rest }
    sentence += rest
  }

  const endSentence = function* (): Generator<EngineEvent> {
    yield* flushBuffered()
    if (sentence.trim() !== '') previous = sentence
    sentence = ''
  }

  /** Reads a citation; returns true when it is kept as other text. */
  const readMarker = function* (marker: string, after: string): Generator<EngineEvent, boolean> {
    const numbers = numbersIn(marker)
    const validNumbers = numbers.filter((number) => byNumber.has(number))
    const links = numbers.map((number) => linkTo(pages[number - 1], number))
    const isLinked = links.every((link) => link !== null)
    const isKnown = validNumbers.length === numbers.length || isLinked
    const reading = { tail, marker, after, isList: numbers.length > 1, isKnown, isAfterOther }
    if (isOther(reading) || (byNumber.size === 0 && !isLinked)) {
      yield* emitOrBuffer(marker)
      return true
    }
    const before = /^[ \t]*/.exec(marker)?.[0] ?? ''
    if (isLinked && !(numbers.length > 1 && mayBeOther(reading))) {
      yield* emitOrBuffer(before + links.join(''))
      return false
    }
    const claim = sentence.trim() === '' ? previous : sentence
    const supported = validNumbers.filter((number) => isSupported(claim, number))
    const unsupported = validNumbers.filter((number) => !supported.includes(number))
    const otherwise = supported.length === 0 && mayBeOther(reading) ? marker : ''
    if (validNumbers.length === 0) {
      if (otherwise !== '') yield* emitOrBuffer(otherwise)
      return otherwise !== ''
    }
    if (bufferedPieces.length === 0) yield* emitCitations(before, supported)
    else if (supported.length > 0) bufferedPieces.push({ text: before, numbers: supported })
    if (unsupported.length > 0)
      bufferedPieces.push({ text: supported.length > 0 ? '' : before, numbers: unsupported, otherwise })
    return otherwise !== ''
  }

  /** Reads all pieces that don't depend on text still to come. */
  const read = function* (isLast: boolean, isEarlier = false): Generator<EngineEvent> {
    while (unread !== '') {
      if (isLineStart && !structure.beginLine(unread, isLast)) return
      isLineStart = false
      const isCode = structure.isCodeLine()
      const pattern = isCode ? CODE_PIECE : PIECE
      pattern.lastIndex = 0
      const groups = pattern.exec(unread)?.groups ?? {}
      const { marker, growing, stop, newline, other = '' } = groups
      // A backslash in code escapes nothing.
      const mark = growing?.startsWith('\\') && structure.isInTicks() ? '\\' : growing
      const piece = marker ?? mark ?? stop ?? newline ?? other
      const after = unread.slice(piece.length)
      if (!isLast && after === '' && newline === undefined && other === '') return
      if (marker !== undefined) {
        if (!isLast && !SIGN_KNOWN.test(after)) return
        const isInside = structure.contains(unread, marker.length, isLast)
        if (isInside === null) return
        if (!isInside) {
          unread = after
          isAfterOther = isEarlier ? false : yield* readMarker(marker, after)
          tail = (tail + marker).slice(-TAIL_CHARACTERS)
          continue
        }
      }
      unread = after
      yield* addText(piece)
      if (!isCode) structure.read(piece, tail.slice(-1), after.slice(0, 1))
      tail = (tail + piece).slice(-TAIL_CHARACTERS)
      isAfterOther = false
      isLineStart = newline !== undefined
      const isEnd = newline !== undefined || (stop !== undefined && /^(?:[\s[]|$)/.test(after))
      if (isEnd && !structure.isInTicks() && structure.fenceEnd() === '') yield* endSentence()
    }
    if (isLast) yield* flushBuffered()
  }

  const restart = () => {
    earlierText = ''
    sentence = ''
    previous = ''
    tail = ''
    isLineStart = true
    isAfterOther = false
    structure = trackCodeAndFormulas()
  }

  return {
    addPassages: (newPassages) => {
      for (const passage of newPassages) byNumber.set(passage.source.n, passage)
    },
    setPages: (urls) => {
      pages = urls
    },
    add(text) {
      if (byNumber.size === 0 && pages.length === 0) {
        earlierText += text
        return [{ type: 'text', text }]
      }
      if (earlierText !== '') {
        unread = earlierText
        earlierText = ''
        joinTexts(read(true, true))
      }
      unread += text
      return joinTexts(read(false))
    },
    end: () => joinTexts(read(true)),
    restart,
  }
}

/** Markdown link with a page's number; null when there's no such page. */
function linkTo(page: string | undefined, number: number): string | null {
  const url = page === undefined ? null : URL.parse(page)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  return `[\\[${number}\\]](${url.href.replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** Numbers in brackets and the text around them. */
interface MarkerReading {
  /** Text before the marker. */
  tail: string
  /** The brackets, with the space before them. */
  marker: string
  after: string
  /** True for several numbers. */
  isList: boolean
  /** True when all numbers are those of passages. */
  isKnown: boolean
  /** True when it follows numbers in brackets that aren't a citation. */
  isAfterOther: boolean
}

/** True for numbers in brackets that can't be a citation: of a LaTeX command, an index, an interval or a vector. */
function isOther({ tail, marker, after, isList, isKnown }: MarkerReading): boolean {
  if (after.startsWith('{') || (tail.endsWith('[') && after.startsWith(']'))) return true
  if (isList && (!isKnown || SIGN_BEFORE.test(tail) || SIGN_AFTER.test(after))) return true
  if (!marker.startsWith('[')) return false
  if (tail.endsWith('\\') || (isList && /\w\($/.test(tail))) return true
  const word = lastWordOf(tail)
  const isMarkedName = /^\p{L}/u.test(word) && /[$\\]/.test(tail.at(-word.length - 1) ?? '')
  return endsWithVariable(tail) || isMarkedName || (word !== '' && SIGN_AFTER.test(after))
}

/** True after a single letter, unless it's a unit of measurement or part of a word. */
function endsWithVariable(tail: string): boolean {
  const word = lastWordOf(tail)
  return /^[a-z]$/.test(word) && !/(?:['’.-]|[\d/][ \t]*)$/.test(tail.slice(0, -word.length))
}

/** True for numbers in brackets that are kept if no passage supports them as a citation. */
function mayBeOther({ tail, marker, after, isList, isKnown, isAfterOther }: MarkerReading): boolean {
  if (after.startsWith('(') || SIGN_BEFORE.test(tail)) return true
  if (isList && [LINK_WORD_BEFORE, NOUN_BEFORE].some((before) => before.test(tail))) return true
  if (!marker.startsWith('[')) return false
  const word = lastWordOf(tail)
  // Neither an amount, a date or kWh, nor a brand such as iPhone or YouTube.
  const isNameInCode =
    /[^_]_[^_]/.test(word) || (!isKnown && (/^\p{Ll}{2,}\p{Lu}/u.test(word) || /\p{L}\.\p{L}\w*$/u.test(tail)))
  // Citations count from 1.
  const isFirstIndex = /^\[\s*0\s*\]$/.test(marker) && /[\w)]$/.test(tail)
  return isAfterOther || endsWithVariable(tail) || isNameInCode || isFirstIndex
}

function lastWordOf(text: string): string {
  return /(?<![\p{L}\p{N}\p{M}_])[\p{L}\p{N}\p{M}_]+$/u.exec(text)?.[0] ?? ''
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
