const compiled = new Map<string, RegExp>()

/** A pattern that has to match a whole text. */
export function whole(source: string): RegExp {
  const cached = compiled.get(source)
  if (cached) return cached
  const pattern = new RegExp(`^(?:${relaxed(source)})$`, 'iu')
  compiled.set(source, pattern)
  return pattern
}

/** A pattern of whole words that has to match where it is put. */
export function sticky(source: string): RegExp {
  return new RegExp(`(?:${relaxed(source)})(?![\\p{L}\\p{N}])`, 'iuy')
}

/** A pattern that matches where one of these does: to ask each of hundreds at every word takes much longer. */
export function oneOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source.replace(/\(\?<[a-z]\w*>/gi, '(?:')).join('|'), 'iuy')
}

export function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

const accents: Record<string, string> = { ä: '(?:ä|ae|a)', ö: '(?:ö|oe|o)', ü: '(?:ü|ue|u)' }

/** With any space, either apostrophe, and accents that may be missing. */
export function relaxed(source: string): string {
  return source
    .replace(/ /g, '\\s+')
    .replace(/['’]/g, "['’]")
    .replace(/[äöü]/g, (letter) => accents[letter] ?? letter)
    .replace(/[áàâéèêëíîïóôúûñç]/g, (letter) => `[${letter}${letter.normalize('NFD')[0]}]`)
}

/** The place of what a text is among these; -1 for none of them. */
export function indexOf(sources: readonly string[], text = ''): number {
  return sources.findIndex((source) => whole(source).test(text))
}
