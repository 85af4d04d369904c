/**
 * A text whose spaces before punctuation and units, and after «, are no-break spaces, so that no line begins or ends with one of them.
 * Message files have plain spaces.
 */
export function withNoBreakSpaces(text: string): string {
  return text.replace(/ (?=[:;?!»…%])|(?<=«) |(?<=[\d}]) (?=[KMGT][Bo]\b)/g, '\u00a0')
}
