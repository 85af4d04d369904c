/** A variable of a prompt: a name in double braces. */
const VARIABLE = /\{\{\s*([^{}\n]{1,60}?)\s*\}\}/gu

/** Unique variable names in order of appearance. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name as string))]
}

/** Text with its variables filled in; variables without a value stay as they are. */
export function fillPrompt(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE, (variable, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? variable) : variable,
  )
}

/** Begins with a letter or digit; letters, digits, hyphens and underscores. */
export const COMMAND_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u
