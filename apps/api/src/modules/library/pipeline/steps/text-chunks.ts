/** A piece of a text, and where it begins in it, in characters. */
export interface TextChunk {
  body: string
  characterOffset: number
}

/** Characters read from the beginning of a document: a small file may unpack to more than fits into memory. */
export const MAX_CHARACTERS = 5_000_000
/** Long enough to say something, short enough to say one thing. */
const SHORTEST = 800
const LONGEST = 1200
/** Possible ends of a chunk, best first. */
const borders = [
  /\n\s*\n/g,
  /[.!?…。！？]["'”’»)]*\s+/g,
  // not where a hyphen parts a word
  /(?<![-\u00ad\u2010]\s{0,20})\n/g,
  /(?<![-\u00ad\u2010]\s{0,20})\s+/g,
  /\s+/g,
]

/**
 * Parts a text into chunks that end where paragraphs, sentences, lines or words do; together they are the text, but for
 * chunks of nothing but blanks.
 */
export function chunksOf(text: string): TextChunk[] {
  const chunks: TextChunk[] = []
  for (let start = 0; start < text.length; ) {
    const end = endOfChunk(text, start)
    const body = text.slice(start, end)
    if (body.trim() !== '') chunks.push({ body, characterOffset: start })
    start = end
  }
  return chunks
}

function endOfChunk(text: string, start: number): number {
  if (text.length - start <= LONGEST) return text.length
  const from = start + SHORTEST
  const window = text.slice(from, start + LONGEST)
  for (const border of borders) {
    const last = [...window.matchAll(border)].at(-1)
    if (last) return from + last.index + last[0].length
  }
  // not between the halves of a character
  return start + LONGEST - (/[\uD800-\uDBFF]$/.test(window) ? 1 : 0)
}
