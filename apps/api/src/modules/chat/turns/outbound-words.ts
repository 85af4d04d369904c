/** Only the start of the newest messages is compared, which bounds the work. */
const MAX_COMPARED_MESSAGES = 50
const MAX_COMPARED_CHARACTERS = 8_000
/** Newest messages of which single words may be sent. */
const MESSAGES_OF_WORDS = 3
const MAX_ARGUMENTS = 3

/**
 * True when the arguments would send an outside service only what the user wrote or what describes the tool. Other
 * people's text that a model has read may have instructed it to send more, in any form: other letters, the number of
 * something, an order of words. So each string has to be an excerpt of one message, or words of the newest messages in
 * their order, each as often as it's there; nothing else may be sent.
 * @param ownWords texts of this program, such as an agent's description.
 */
export function sendsOnlyKnownWords(argumentsText: string, userTexts: string[], ownWords = ''): boolean {
  const strings = stringsOf(parsed(argumentsText))
  if (strings === null) return false
  const excerpts = userTexts.slice(-MAX_COMPARED_MESSAGES).map(comparable)
  const unused = new Words(userTexts.slice(-MESSAGES_OF_WORDS).join(' '))
  const own = new Set(wordsOf(ownWords))
  return strings.every((string) => excerpts.some((text) => holds(text, string)) || unused.take(string, own))
}

function parsed(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {}
  try {
    return JSON.parse(argumentsText)
  } catch {
    return argumentsText
  }
}

/**
 * The strings, numbers and unusual names of arguments; null when their form says something without words, such as a list or
 * objects in each other, whose number and order can tell anything.
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

/** Words that may be sent once each, in their order. */
class Words {
  readonly #words: string[]

  constructor(text: string) {
    this.#words = wordsOf(text)
  }

  /** Takes the words of a string, or says that it holds others; words in `own` may come anywhere, once each. */
  take(text: string, own: Set<string>): boolean {
    // one space apart, in one case, in the usual letters: each choice could say something
    const words = text.split(' ')
    if (text !== text.normalize('NFKC') || !isOneCase(words)) return false
    let from = 0
    return words.every((word) => {
      const plain = word.toLowerCase()
      const index = this.#words.indexOf(plain, from)
      if (index < 0) return own.delete(plain)
      this.#words.splice(index, 1)
      from = index
      return true
    })
  }
}

/** True for words that are all written small, or as names and beginnings of sentences are. */
const isOneCase = (words: string[]): boolean =>
  words.every((word) => /^[\p{Lu}\p{Lt}]?[^\p{Lu}\p{Lt}]*$|^[\p{Lu}\p{N}]+$/u.test(word))

/** True when a message holds this excerpt as it's written or in small letters, from the beginning of a word to the end of one. */
function holds(text: string, excerpt: string): boolean {
  const isSmall = excerpt === excerpt.toLowerCase()
  const searched = isSmall ? text.toLowerCase() : text
  for (let at = searched.indexOf(excerpt); at >= 0; at = searched.indexOf(excerpt, at + 1)) {
    const around = (searched[at - 1] ?? ' ') + (searched[at + excerpt.length] ?? ' ')
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

/** Names of arguments that say nothing by themselves. */
const USUAL_NAMES = new Set(['input', 'query', 'q', 'text', 'question', 'place', 'city', 'location', 'topic', 'name'])
