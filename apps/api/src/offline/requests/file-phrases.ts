import type { MediaSort } from '@mira/shared'
import {
  askingWords,
  beingVerbs,
  compoundNoun,
  danglingWords,
  determiners,
  emptyWords,
  eventWords,
  type FileNoun,
  fileNouns,
  forWords,
  joiningLetter,
  linkVerbs,
  linkWords,
  numberWords,
  orderWords,
  sortWords,
  statementWords,
  tailPhrases,
  tailWords,
  topicLinks,
} from './file-words.ts'

// The noun of a question about files, and the text before and after it.

const MAX_COUNT = 20

/** Noun for items in a sentence, with the text before and after it. */
interface NamedNoun {
  kind: FileNoun
  word: string
  before: string
  after: string
}

/** First noun for items in a sentence, or a word such as "uploaded" or "library" when there's no such noun; null for neither. */
export function nounIn(text: string): NamedNoun | null {
  const compound = compoundNoun.exec(text)
  const separated = compound
    ? `${text.slice(0, compound.index)}${subjectOf(compound)} ${compound.groups?.noun}${text.slice(compound.index + compound[0].length)}`
    : text
  const matches = fileNouns.flatMap((noun) => {
    const match = noun.pattern.exec(separated)
    return match === null ? [] : [{ noun, word: match[0], index: match.index }]
  })
  const nouns = matches.filter(({ noun }) => noun !== fileNouns.at(-1))
  const [first] = (nouns.length > 0 ? nouns : matches).sort((one, other) => one.index - other.index)
  if (first === undefined) return null
  const { noun, word, index } = first
  const { rest, others } = otherNouns(separated.slice(index + word.length))
  return { kind: others.reduce(joinNouns, noun), word, before: separated.slice(0, index), after: rest }
}

/** Combines two nouns: "photos and videos" are of any type, "PDFs and Word documents" of several formats. */
function joinNouns(one: FileNoun, other: FileNoun): FileNoun {
  const formats = one.formats && other.formats ? [...one.formats, ...other.formats] : undefined
  return one.type === other.type
    ? { type: one.type, pattern: one.pattern, ...(formats && { formats }) }
    : { type: null, pattern: one.pattern }
}

/** Removes further nouns from the beginning of a text: "and videos". */
function otherNouns(text: string): { rest: string; others: FileNoun[] } {
  const conjunction =
    /^(?:\s*,|\s+(?:and|or|und|oder|y|o|et|ou|&))\s+(?:(?:my|mis|mes|meine|des|les|los|las)\s+)?/iu.exec(text)
  if (conjunction === null) return { rest: text, others: [] }
  const following = text.slice(conjunction[0].length)
  for (const noun of fileNouns.slice(0, -1)) {
    const match = noun.pattern.exec(following)
    if (match?.index !== 0) continue
    const { rest, others } = otherNouns(following.slice(match[0].length))
    return { rest, others: [noun, ...others] }
  }
  return { rest: text, others: [] }
}

const subjectOf = (compound: RegExpExecArray) => (compound.groups?.subject ?? '').replace(joiningLetter, '')

/** Splits a text into words, which keep their inner punctuation: "test.js" is one word, but "d'identité" is two. */
export const wordsOf = (text: string): string[] =>
  text
    .replace(/(?<=(?<!\p{L})[dljnmtsc])['’](?=\p{L})/giu, ' ')
    .split(/[\s,;:?!()]+/u)
    .map((word) => word.replace(/^["“”„«»'’‘.¿¡-]+|["“”„«»'’‘.-]+$/gu, ''))
    .filter((word) => word !== '')

/** Words between something requested and the noun: "a summary of my document". */
const headLinks = new Set([...topicLinks, ...forWords, 'with', 'mit', 'con', 'avec'])

export const isIn = (set: ReadonlySet<string>, word: string | undefined) =>
  word !== undefined && set.has(word.toLowerCase())

export type TextBeforeNoun = ReturnType<typeof readBefore>
export type TextAfterNoun = ReturnType<typeof readAfter>

/** Reads the text before the noun: a sort order, a number and a subject, as in "the last three beach photos". */
export function readBefore(text: string) {
  // "new photos", but not "New York photos"
  const { rest, sort } = takeSort(text.replace(/(?<!\p{L})(?:new|neuen?|nuev[oa]s|nouvelles|nouveaux)\s*$/iu, ''))
  const all = wordsOf(rest)
  const isSubject = (word: string) => !isIn(emptyWords, word) && !(sort && isIn(orderWords, word))
  const first = all.findIndex((word) => isSubject(word) && numberOf(word) === 0)
  // In "iPhone 15" the number is part of the name.
  const [lead, subject] = first === -1 ? [all, []] : [all.slice(0, first), all.slice(first).filter(isSubject)]
  const count = lead.map(numberOf).find((number) => number > 0)
  while (isIn(danglingWords, subject.at(-1)) || isIn(forWords, subject.at(-1)) || isIn(tailWords, subject.at(-1)))
    subject.pop()
  return {
    sort,
    count: count === undefined ? null : Math.min(MAX_COUNT, count),
    topic: subject.join(' '),
    subjectWords: subject.length,
    isStatement: hasStatement(all) || all.some((word) => isIn(eventWords, word)),
    /** True when something else is requested: "a summary of my document". */
    asksForOther:
      first !== -1 &&
      isIn(
        headLinks,
        all.slice(first + 1).findLast((word) => isIn(linkWords, word) || isIn(headLinks, word)),
      ),
    /** True for a noun after a demonstrative: "this photo". */
    isPointing: /(?<!\p{L})(?:this|these|diese[mnrs]?|cette|cet|ces?|est[ae]s?|estos)\s*$/iu.test(text),
  }
}

/** Reads the text after the noun, and how it's linked. `isRequest` is true for a request for the user's own items. */
export function readAfter(text: string, isRequest: boolean) {
  const { rest, sort } = takeSort(text, true)
  const all = wordsOf(rest)
  const linked = all.find((word) => !isIn(askingWords, word))
  const isWord = isIn(linkWords, linked) || (isRequest && (isIn(forWords, linked) || isIn(tailWords, linked)))
  const link = linked === undefined ? 'none' : isIn(linkVerbs, linked) ? 'verb' : isWord ? 'word' : 'other'
  const topic = cleanTopic(all) ?? ''
  // A name may look like a word of a statement: "Ella".
  const isStatement = hasStatement(topic.split(' ').filter((word) => /^(?:\p{Ll}|(?:I|Ich|Sie)$)/u.test(word)))
  const hasTopicLink = all.some((word) => isIn(topicLinks, word))
  return { sort, link, isStatement, isPredicate: isIn(beingVerbs, all[0]), isLinked: hasTopicLink, topic } as const
}

/** True when one of the words marks a statement. Hyphenated words count as several: "vois-tu" is two words. */
const hasStatement = (all: readonly string[]) =>
  all.some((word) => word.split('-').some((part) => isIn(statementWords, part)))

/** Removes a sort order from a text unless it's part of a name; with `isOpening`, only at the beginning of the text. */
function takeSort(text: string, isOpening = false): { rest: string; sort: MediaSort | null } {
  for (const [sort, pattern] of sortWords) {
    const match = pattern.exec(text)
    if (match === null) continue
    const isFirst = wordsOf(text.slice(0, match.index)).every((word) =>
      [orderWords, askingWords, linkWords].some((set) => isIn(set, word)),
    )
    const isUnnamed = wordsOf(text.slice(0, match.index)).every(
      (word) => isIn(emptyWords, word) || isIn(orderWords, word) || numberOf(word) > 0,
    )
    const following = wordsOf(text.slice(match.index + match[0].length))[0]
    const isLast = following === undefined || isIn(linkWords, following) || isIn(tailWords, following)
    if (isOpening ? !isFirst || !isLast : !isUnnamed) continue
    const rest = `${isOpening ? '' : text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`
    return { rest: isOpening ? rest : takeSort(rest).rest, sort }
  }
  return { rest: text, sort: null }
}

/** Topic in the words after a noun or a verb, without words of the question; null for none. */
export function cleanTopic(words: readonly string[]): string | null {
  const all = wordsOf(words.join(' ').replace(tailPhrases, ''))
  const isLead = (word: string) =>
    [linkWords, linkVerbs, askingWords, forWords, emptyWords].some((set) => isIn(set, word))
  const lead = all.findIndex((word) => isIn(topicLinks, word) || !isLead(word))
  if (lead === -1) return null
  // The topic begins after "of" and its determiners, even with a word that otherwise links to a topic: "photos of my son".
  const isAfterLink = (word: string, index: number) =>
    isIn(topicLinks, word) || isIn(determiners, word) || (word === 'me' && !/^(?:and|or)?$/u.test(all[index + 1] ?? ''))
  const begin = all.findIndex((word, index) => index >= lead && !isAfterLink(word, index))
  if (begin === -1) return null
  const rest = all.slice(isIn(topicLinks, all[lead]) ? begin : lead)
  while ([tailWords, danglingWords].some((set) => isIn(set, rest.at(-1)))) rest.pop()
  return rest.length > 0 ? rest.join(' ') : null
}

function numberOf(word: string): number {
  if (/^\d{1,3}$/u.test(word)) return Number(word)
  return numberWords.findIndex((names, index) => index > 0 && isIn(names, word)) + 1
}
