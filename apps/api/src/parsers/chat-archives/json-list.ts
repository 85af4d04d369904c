import { ArchiveProblem } from './archive-problem.ts'

/** A stretch of an element of a list. */
interface ElementText {
  text: Uint8Array
  /** True for the last piece of an element. */
  isEnd: boolean
  /** True for the last piece of the list, too. */
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
export function createListScanner() {
  /** Nesting depth of brackets within the element. */
  let depth = 0
  let isString = false
  /** Trailing backslashes of the string so far. */
  let backslashes = 0
  let hasEnded = false

  /** Position after the string: behind its quote, or the end of the piece. */
  const passString = (piece: Uint8Array, from: number): number => {
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
          index = passString(piece, index)
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
