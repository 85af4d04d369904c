const CHARACTERS = 400

/** The beginning of a text as a page of it looks; signs of Markdown say nothing there. Null where there is none. */
export function firstLines(text: string | null): string | null {
  if (text === null) return null
  const lines = text
    .slice(0, CHARACTERS)
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(?:#{1,6}|[-*+>])\s+/, '')
        .replace(/[*_`]{2,}/g, '')
        .trim(),
    )
  return lines.filter((line, at) => line !== '' && line !== lines[at - 1]).join('\n') || null
}
