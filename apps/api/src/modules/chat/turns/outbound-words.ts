/** Only the start of the newest messages is compared, which bounds the work. */
const MAX_COMPARED_MESSAGES = 50
const MAX_COMPARED_CHARACTERS = 8_000
/** Newest messages of which single words may be sent. */
const MESSAGES_OF_WORDS = 3

/**
 * True when the arguments would send an outside service only what the user wrote or what describes the tool. Other
 * people's text that a model has read may have instructed it to send more, in any form: other letters, the number of
 * something, an order of words. So each string has to be an excerpt of one message, or words of the newest messages in
 * their order, each as often as it's there; nothing else may be sent.
 * @param ownWords texts of this program, such as an agent's description.
 */
export function sendsOnlyKnownWords(argumentsText: string, userTexts: string[], ownWords = ''): boolean {
  const leaves: string[] = []
  if (!collect(parsed(argumentsText), leaves)) return false
  const excerpts = userTexts.slice(-MAX_COMPARED_MESSAGES).map(comparable)
  const unused = new Words(userTexts.slice(-MESSAGES_OF_WORDS).join(' '))
  const own = new Set(wordsOf(ownWords))
  return leaves.every((leaf) => excerpts.some((text) => holds(text, leaf)) || unused.take(leaf, own))
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
 * Collects the strings, numbers and unusual names of a value.
 * @returns false when it holds what says something without words, such as a list of booleans.
 */
function collect(value: unknown, leaves: string[], isInList = false): boolean {
  if (typeof value === 'number') return collect(String(value), leaves)
  if (typeof value === 'string') {
    if (value !== '') leaves.push(value)
    return value !== '' || !isInList
  }
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.every((child) => collect(child, leaves, true))
  const entries = Object.entries(value)
  if (isInList && entries.length === 0) return false
  return entries.every(([name, child]) => {
    if (!USUAL_NAMES.has(name)) leaves.push(name)
    return collect(child, leaves)
  })
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
