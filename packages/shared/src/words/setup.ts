const VARIABLE = /\b[A-Z]{2,}(_[A-Z]+)+\b/

/** Whether a sentence is about something that an administrator sets. */
export function namesSetup(text: string): boolean {
  return VARIABLE.test(text)
}

/**
 * Leaves out what only an administrator can use: sentences that name a variable of the server's environment. What is
 * missing is still said: an address gives way to words for it, a variable in brackets goes alone. Empty when nothing else was
 * said.
 */
export function withoutSetup(text: string, anAddress: string): string {
  return text
    .replace(/https?:\/\/[^\s,;)]*[^\s,;).:]/g, anAddress)
    .replace(/\s*\([A-Z]{2,}(_[A-Z]+)+\)/g, '')
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .filter((sentence) => !VARIABLE.test(sentence))
    .join(' ')
}
