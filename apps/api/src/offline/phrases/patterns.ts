const compiled = new Map<string, RegExp>()

/** Pattern that matches a whole text. */
export function wholeTextPattern(source: string): RegExp {
  const cached = compiled.get(source)
  if (cached) return cached
  const pattern = new RegExp(`^(?:${relaxed(source)})$`, 'iu')
  compiled.set(source, pattern)
  return pattern
}

/** Sticky pattern of whole words. */
export function stickyPattern(source: string): RegExp {
  return new RegExp(`(?:${relaxed(source)})(?![\\p{L}\\p{N}])`, 'iuy')
}

/** Sticky pattern that matches where any of these does; much faster than trying hundreds of them at every word. */
export function oneOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source.replace(/\(\?<[a-z]\w*>/gi, '(?:')).join('|'), 'iuy')
}

export function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index
  return pattern.test(text)
}

const accents: Record<string, string> = { ä: '(?:ä|ae|a)', ö: '(?:ö|oe|o)', ü: '(?:ü|ue|u)' }

/** Source of a pattern with any spaces, either apostrophe and optional accents. */
export function relaxed(source: string): string {
  return source
    .replace(/ /g, '\\s+')
    .replace(/['’]/g, "['’]")
    .replace(/[äöü]/g, (letter) => accents[letter] ?? letter)
    .replace(/[áàâéèêëíîïóôúûñç]/g, (letter) => `[${letter}${letter.normalize('NFD')[0]}]`)
}

/** Index of the first source that matches a whole text; -1 for none. */
export function indexOfMatch(sources: readonly string[], text = ''): number {
  return sources.findIndex((source) => wholeTextPattern(source).test(text))
}
