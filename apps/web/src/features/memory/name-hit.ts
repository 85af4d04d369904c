import type { Highlights } from '../../lib/highlighted-parts.ts'

/** An excerpt with the places of what was found in it. */
export interface Excerpt {
  content: string
  highlights: Highlights
}

/** An excerpt of a name moment, split into the file name and the rest. */
export interface NameHit {
  /** The file's name with what was found in it; null where the excerpt does not begin with it. */
  name: Excerpt | null
  rest: Excerpt
}

const BETWEEN = ' · '

/** Parts an excerpt that was found in a file's name, so that the name, and the words that are only it again, are not told twice. */
export function nameHit(excerpt: Excerpt, filename: string): NameHit {
  const { content } = excerpt
  if (content !== filename && !content.startsWith(`${filename}${BETWEEN}`)) return { name: null, rest: excerpt }
  const words = content.slice(filename.length + BETWEEN.length).split(BETWEEN)[0] ?? ''
  const isAgain = lettersOf(words) === lettersOf(filename.replace(/\.[^.]{1,5}$/, ''))
  const from = filename.length + BETWEEN.length + (isAgain ? words.length + BETWEEN.length : 0)
  return { name: cut(excerpt, 0, filename.length), rest: cut(excerpt, from, content.length) }
}

function cut({ content, highlights }: Excerpt, from: number, to: number): Excerpt {
  const within = highlights.filter(([begin, end]) => begin >= from && end <= to)
  return {
    content: content.slice(from, to),
    highlights: within.map(([begin, end]) => [begin - from, end - from] as const),
  }
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
