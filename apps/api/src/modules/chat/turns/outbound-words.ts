/** Only the start of the newest messages is compared, which bounds the work. */
const MAX_COMPARED_MESSAGES = 50
const MAX_COMPARED_CHARACTERS = 8_000

/**
 * True when the arguments would send an outside service only words that the user wrote or that describe the tool. Other
 * people's text that a model has read may have instructed it to send more.
 * @param ownWords texts of this program, such as an agent's description.
 */
export function sendsOnlyKnownWords(argumentsText: string, userTexts: string[], ownWords = ''): boolean {
  let args: unknown
  try {
    args = argumentsText.trim() === '' ? {} : JSON.parse(argumentsText)
  } catch {
    args = argumentsText
  }
  const words = wordsOf(textsIn(args).join(' '))
  if (words.length === 0) return true
  const knownWords = new Set(wordsOf(ownWords))
  for (const text of userTexts.slice(-MAX_COMPARED_MESSAGES))
    for (const word of wordsOf(text.slice(0, MAX_COMPARED_CHARACTERS))) knownWords.add(word)
  return words.every((word) => knownWords.has(word))
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** All that a value says: its strings, its numbers, and names that were made up. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    ...(Array.isArray(value) || USUAL_KEYS.has(key) ? [] : [key]),
    ...textsIn(child),
  ])
}

/** Names of arguments that say nothing by themselves. */
const USUAL_KEYS = new Set(['input', 'query', 'q', 'text', 'question', 'place', 'city', 'location', 'topic', 'name'])
