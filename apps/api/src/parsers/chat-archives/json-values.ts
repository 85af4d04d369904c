import { JSONParser } from '@streamparser/json'
import { type ArchiveFiles, ArchiveProblem } from './archive-files.ts'

/** A piece of an element of a list. */
interface ElementText {
  text: Uint8Array
  /** True for the last piece of an element. */
  isEnd: boolean
  /** True for the last piece of the list. */
  isLast: boolean
}

const code = (character: string) => character.charCodeAt(0)
const [QUOTE, BACKSLASH, COMMA] = [code('"'), code('\\'), code(',')]
const [LIST_BEGINS, LIST_ENDS] = [code('['), code(']')]
const [OBJECT_BEGINS, OBJECT_ENDS] = [code('{'), code('}')]
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Finds the bounds of a JSON list's elements without parsing them; strings, which make up most of such files, are skipped
 * by native search.
 */
function createListScanner() {
  /** Nesting depth of brackets within the element. */
  let depth = 0
  let isString = false
  /** Trailing backslashes of the string so far. */
  let backslashes = 0
  let hasEnded = false

  /** Position after the string: after its closing quote, or the end of the piece. */
  const skipString = (piece: Uint8Array, from: number): number => {
    const quote = piece.indexOf(QUOTE, from)
    const end = quote === -1 ? piece.length : quote
    let index = end
    while (index > from && piece[index - 1] === BACKSLASH) index -= 1
    backslashes = end - index + (index === from ? backslashes : 0)
    if (quote === -1) return end
    isString = backslashes % 2 === 1
    backslashes = 0
    return quote + 1
  }

  return {
    hasEnded: () => hasEnded,

    /** @throws ArchiveProblem when something follows the list. */
    *scan(piece: Uint8Array): Generator<ElementText> {
      let start = 0
      let index = 0
      while (index < piece.length && !hasEnded) {
        if (isString) {
          index = skipString(piece, index)
          continue
        }
        const byte = piece[index] as number
        index += 1
        if (byte === QUOTE) isString = true
        else if (byte === OBJECT_BEGINS || byte === LIST_BEGINS) depth += 1
        else if (depth > 0 && (byte === OBJECT_ENDS || byte === LIST_ENDS)) depth -= 1
        else if (depth === 0 && (byte === COMMA || byte === LIST_ENDS)) {
          hasEnded = byte === LIST_ENDS
          yield { text: piece.subarray(start, index - 1), isEnd: true, isLast: hasEnded }
          start = index
        }
      }
      if (!hasEnded) yield { text: piece.subarray(start), isEnd: false, isLast: false }
      else if (!piece.subarray(index).every((byte) => SPACES.has(byte)))
        throw new ArchiveProblem('damaged_archive', 'something follows the list')
    },
  }
}

/** Maximum size of a file that is a single object, which is read whole. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024
/** Elements up to this size are buffered and parsed at once, which takes a fraction of the time; larger ones piece by piece. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/**
 * Elements of a JSON list of any length, one after the other; for a file with a single object, that object.
 * @throws ArchiveProblem when it isn't JSON, or ends early.
 */
export async function* jsonValues(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const iterator = withoutLead(pieces)
  const first = await iterator.next()
  if (first.done) throw new ArchiveProblem('damaged_archive', 'the file is empty')
  if (first.value[0] === LIST_BEGINS) yield* elements(first.value, iterator)
  else yield await wholeObject(first.value, iterator)
}

/** Elements of the lists in the files whose names match; the only file of an archive may have any name. */
export async function* listedValues(files: ArchiveFiles, pattern: RegExp): AsyncGenerator<unknown> {
  const names = files.names()
  const lists = names.length === 1 ? names : names.filter((name) => pattern.test(name))
  files.willRead(lists)
  for (const name of lists) yield* jsonValues(files.pieces(name))
}

async function* elements(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const scanner = createListScanner()
  let element = createElement()
  let count = 0
  function* valuesIn(piece: Uint8Array) {
    for (const { text, isEnd, isLast } of scanner.scan(piece)) {
      element.add(text)
      if (!isEnd) continue
      // The blank text between the brackets of an empty list isn't an element.
      if (!(isLast && count === 0 && element.isBlank())) yield element.value()
      count += 1
      element = createElement()
    }
  }
  yield* valuesIn(first.subarray(1))
  for await (const piece of rest) yield* valuesIn(piece)
  if (!scanner.hasEnded()) throw new ArchiveProblem('damaged_archive', 'the list ends early')
}

/** Collector of an element's pieces. */
function createElement() {
  const chunks: Uint8Array[] = []
  let length = 0
  let largeElement: ReturnType<typeof createLargeElement> | undefined
  return {
    add(text: Uint8Array): void {
      length += text.length
      if (largeElement === undefined && length > MAX_BUFFERED_BYTES) {
        largeElement = createLargeElement()
        for (const piece of chunks.splice(0)) largeElement.write(piece)
      }
      if (largeElement === undefined) chunks.push(text)
      else largeElement.write(text)
    },
    isBlank: () => largeElement === undefined && chunks.every((piece) => piece.every((byte) => SPACES.has(byte))),
    value: () => (largeElement === undefined ? parseJson(chunks) : largeElement.value()),
  }
}

/** Collector that parses while it's fed: the text and the object of a large element may not fit into the memory together. */
function createLargeElement() {
  const values: unknown[] = []
  const parser = new JSONParser({ paths: ['$'], keepStack: false })
  parser.onValue = ({ value }) => void values.push(value)
  return {
    write(piece: Uint8Array): void {
      try {
        parser.write(piece)
      } catch (error) {
        throw new ArchiveProblem('damaged_archive', String(error))
      }
    },
    value(): unknown {
      if (!parser.isEnded) throw new ArchiveProblem('damaged_archive', 'an entry ends early')
      return values[0]
    },
  }
}

async function wholeObject(first: Uint8Array, rest: AsyncIterable<Uint8Array>): Promise<unknown> {
  const whole = [first]
  let length = first.length
  for await (const piece of rest) {
    length += piece.length
    if (length > MAX_OBJECT_BYTES) throw new ArchiveProblem('too_large_archive', 'one object is too large')
    whole.push(piece)
  }
  return parseJson(whole)
}

function parseJson(pieces: Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch (error) {
    throw new ArchiveProblem('damaged_archive', String(error))
  }
}

/** Drops a byte order mark and leading white space. */
async function* withoutLead(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isLead = true
  for await (const piece of pieces) {
    if (!isLead) {
      yield piece
      continue
    }
    let index = BYTE_ORDER_MARK.equals(piece.subarray(0, BYTE_ORDER_MARK.length)) ? BYTE_ORDER_MARK.length : 0
    while (index < piece.length && SPACES.has(piece[index] as number)) index++
    if (index === piece.length) continue
    isLead = false
    yield piece.subarray(index)
  }
}
