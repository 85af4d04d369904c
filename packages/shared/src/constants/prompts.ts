/** A place of a prompt that is filled in when it is used: a name in double braces. */
const PLACE = /\{\{\s*([^{}\n]{1,60}?)\s*\}\}/gu

/** The names of what is filled in, each once, in their order. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(PLACE)].map(([, name]) => name as string))]
}

/** The text with its places filled in; one without a value stays as it is. */
export function fillPrompt(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PLACE, (place, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? place) : place))
}

/** Begins with a letter or digit; letters, digits, hyphens and underscores. */
export const COMMAND_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u
