/** A piece of a search excerpt, and whether it is what was searched for. */
export interface SnippetPart {
  text: string
  isMatch: boolean
}

const BEGIN = '\u0002'
const END = '\u0003'

/** Cuts an excerpt at the marks that the server puts around what was found. */
export function snippetParts(snippet: string): SnippetPart[] {
  const [before = '', ...marked] = snippet.split(BEGIN)
  const parts = marked.flatMap((piece): SnippetPart[] => {
    const [match = '', ...after] = piece.split(END)
    return [
      { text: match, isMatch: true },
      { text: after.join(''), isMatch: false },
    ]
  })
  return [{ text: before, isMatch: false }, ...parts].filter(({ text }) => text !== '')
}
