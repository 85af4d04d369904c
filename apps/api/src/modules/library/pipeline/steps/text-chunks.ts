/** A piece of a text with its offset in characters. */
export interface TextChunk {
  body: string
  characterOffset: number
}

/** Characters read from the beginning of a document: a small file may unpack to more than fits into memory. */
export const MAX_CHARACTERS = 5_000_000
/** Length of a chunk: enough for a statement, not for several topics. */
const SHORTEST = 800
const LONGEST = 1200
/** Possible ends of a chunk, best first. */
const borders = [
  /\n\s*\n/g,
  /[.!?…。！？]["'”’»)]*\s+/g,
  // not where a hyphen splits a word
  /(?<![-\u00ad\u2010]\s{0,20})\n/g,
  /(?<![-\u00ad\u2010]\s{0,20})\s+/g,
  /\s+/g,
]

/**
 * Splits a text into chunks at the ends of paragraphs, sentences, lines or words; blank chunks are dropped.
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
  // not inside a surrogate pair
  return start + LONGEST - (/[\uD800-\uDBFF]$/.test(window) ? 1 : 0)
}
