import { snippetParts } from '../../lib/snippet-parts.ts'

/** What an excerpt of the words by which a file is known says: its name, marked, and what it says beside that. */
export interface NameHit {
  /** The file's name with the marks of what was found; null where the excerpt does not begin with it. */
  name: string | null
  rest: string
}

const BETWEEN = ' · '

/** Parts an excerpt that was found in a file's name, so that the name, and the words that are only it again, are not told twice. */
export function nameHit(content: string, filename: string): NameHit {
  const [first = '', ...others] = content.split(BETWEEN)
  if (plain(first) !== filename) return { name: null, rest: content }
  const stem = lettersOf(filename.replace(/\.[^.]{1,5}$/, ''))
  return { name: first, rest: others.filter((other) => lettersOf(plain(other)) !== stem).join(BETWEEN) }
}

const plain = (marked: string) =>
  snippetParts(marked)
    .map(({ text }) => text)
    .join('')

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
