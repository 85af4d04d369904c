/** Only the beginnings of the newest messages are compared, to bound the work. */
const MAX_COMPARED_MESSAGES = 50
const MAX_COMPARED_CHARACTERS = 8_000
/** Number of newest messages whose single words may be sent. */
const WORD_MESSAGES = 3
const MAX_ARGUMENTS = 3

/**
 * True when the arguments only send an outside service what the user wrote or what describes the tool. Other people's text
 * that a model has read may have instructed it to send more, in any encoding: other letters, a count, the order of words. So
 * each string must be an excerpt of one message, or words of the newest messages in their order, each at most as often as
 * it occurs there; nothing else may be sent.
 * @param ownWords Mira's own texts, such as an agent's description
 */
export function sendsOnlyKnownWords(argumentsText: string, userTexts: string[], ownWords = ''): boolean {
  const strings = stringsOf(parseIfJson(argumentsText))
  if (strings === null) return false
  const messages = userTexts.slice(-MAX_COMPARED_MESSAGES).map(comparable)
  const unused = new UnusedWords(userTexts.slice(-WORD_MESSAGES).join(' '))
  const own = new Set(wordsOf(ownWords))
  return strings.every((string) => messages.some((text) => containsExcerpt(text, string)) || unused.take(string, own))
}

function parseIfJson(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {}
  try {
    return JSON.parse(argumentsText)
  } catch {
    return argumentsText
  }
}

/**
 * Strings, numbers and unusual names of arguments; null for structures that can encode anything by count and order, such as
 * lists and nested objects.
 */
function stringsOf(value: unknown): string[] | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isObject ? Object.entries(value) : [['query', value] as const]
  if (entries.length > MAX_ARGUMENTS) return null
  const strings: string[] = []
  for (const [name, child] of entries) {
    if (typeof child !== 'string' && typeof child !== 'number') return null
    if (!USUAL_NAMES.has(name)) strings.push(name)
    if (child !== '') strings.push(String(child))
  }
  return strings
}

/** Words that may each be sent once, in their order. */
class UnusedWords {
  readonly #words: string[]

  constructor(text: string) {
    this.#words = wordsOf(text)
  }

  /** Uses up the words of a string; false when it contains other words. Words in `own` may come anywhere, once each. */
  take(text: string, own: Set<string>): boolean {
    // Requires single spaces, regular case and usual letters, since any choice could encode something.
    const words = text.split(' ')
    if (text !== text.normalize('NFKC') || !isRegularCase(words)) return false
    let from = 0
    return words.every((word) => {
      const lowerCased = word.toLowerCase()
      const index = this.#words.indexOf(lowerCased, from)
      if (index < 0) return own.delete(lowerCased)
      this.#words.splice(index, 1)
      from = index
      return true
    })
  }
}

/** True when each word is in lower case, capitalised, or in upper case. */
const isRegularCase = (words: string[]): boolean =>
  words.every((word) => /^[\p{Lu}\p{Lt}]?[^\p{Lu}\p{Lt}]*$|^[\p{Lu}\p{N}]+$/u.test(word))

/** True when a message contains the excerpt, verbatim or in lower case, as whole words. */
function containsExcerpt(text: string, excerpt: string): boolean {
  const isLowerCase = excerpt === excerpt.toLowerCase()
  const searched = isLowerCase ? text.toLowerCase() : text
  for (let index = searched.indexOf(excerpt); index >= 0; index = searched.indexOf(excerpt, index + 1)) {
    const around = (searched[index - 1] ?? ' ') + (searched[index + excerpt.length] ?? ' ')
    if (!/[\p{L}\p{M}\p{N}]/u.test(around)) return true
  }
  return false
}

const comparable = (text: string): string =>
  text.slice(0, MAX_COMPARED_CHARACTERS).normalize('NFKC').replace(/\s+/g, ' ').trim()

const wordsOf = (text: string): string[] =>
  text
    .slice(0, 4 * MAX_COMPARED_CHARACTERS)
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Argument names that can't encode anything. */
const USUAL_NAMES = new Set(['input', 'query', 'q', 'text', 'question', 'place', 'city', 'location', 'topic', 'name'])
