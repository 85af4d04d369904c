import { cutText } from '@mira/shared/constants/cut-text'
import { plainText } from './reading.ts'

const MAX_CHARACTERS = 300
const MAX_WORDS = 14

const word = (pattern: string, flags = 'giu') =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, flags)

/** Words that ask for news. */
const newsWord = word(
  [
    'news|headlines',
    'noticias?|titulares|actualidad',
    'actualit[eé]s?|actus?|gros titres|les infos|(?<=les |des |derni[eè]res |quelles )nouvelles|nouvelles(?= sur )|[aà] la une',
    'nachrichten|schlagzeilen|neuigkeiten',
  ].join('|'),
)
/** Other uses of the word "news", and sentences for other agents. */
const otherMatters = word(
  "(?:good|bad|great|sad|fake|old) news|newsletter|buenas? noticias?|malas? noticias?|bonnes? nouvelles?|mauvaises? nouvelles?|gute[nr]? nachrichten|schlechte[nr]? nachrichten|photos?|fotos?|pictures?|bilder|videos?|films?|pdfs?|documents?|dokumente?|archivos?|remind|recu[eé]rdame|rappelle|erinnere?|write|escribe|[eé]cris|schreibe?|i have|tengo|j'ai|ich habe|my news|sms|textnachrichten|sprachnachrichten",
)
/** Words around the topic that don't belong to it. */
const fillers = word(
  [
    "please|show|give|tell|read|get|find|bring|me|us|what(?:'s| is| are)?|which|is|are|there|any|some|the|a|an|in|on|of|for|from|about|regarding|concerning|latest|newest|recent|top|breaking|today(?:'s)?|now|this (?:week|morning)|todays|happening|current|do you have|can you|new|today",
    'por favor|mu[eé]strame|dame|dime|lee|busca|qu[eé]|cu[aá]les|son|hay|las?|los|el|un|una|unas|en|de|del|sobre|acerca|[uú]ltimas?|recientes?|principales|hoy|ahora|esta semana|d[ií]a|nuevas?',
    "s'il (?:te|vous) pla[iî]t|montre(?:-moi|z-moi)?|donne(?:-moi|z-moi)?|dis-moi|lis|cherche|moi|quelles?|quoi|sont|y a-t-il|les|le|la|l|un|une|des|du|d|en|dans|sur|[aà] propos|concernant|au sujet|derni[eè]res?|r[eé]centes?|principales|aujourd'hui|maintenant|jour|cette semaine",
    'bitte|zeige?|gib|sag|lies|suche|mir|was|welche|sind|gibt es|gibt|es|die|der|das|den|dem|ein|eine|in|im|zu|zum|zur|[uü]ber|von|vom|aus|neuesten?|neueste|aktuellen?|aktuelle|letzten?|wichtigsten?|heutigen?|heute|jetzt|diese woche|neue[sn]?',
  ].join('|'),
)
/** Words for no particular topic. */
const generalWords = word('world|general|mundo|generales|monde|g[eé]n[eé]rales|welt|allgemein')

/** News topic of a sentence; null when it asks for the latest news on any topic. */
export function readTopic(input: string): string | null {
  const rest = clean(input).replace(newsWord, ' ').replace(fillers, ' ').replace(generalWords, ' ')
  const topic = rest
    .replace(/[^\p{L}\p{N}\s'&+-]/gu, ' ')
    .replace(/(?<!\p{L})['-]|['-](?!\p{L})/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return topic === '' ? null : cutText(topic, 100)
}

/** Confidence that a sentence asks for news, 0 to 1. */
export function newsConfidence(input: string): number {
  const text = clean(input)
  if (text.search(newsWord) < 0 || input.length > MAX_CHARACTERS) return 0
  if (text.search(otherMatters) >= 0) return 0.2
  const words = text.split(' ').length
  return words <= MAX_WORDS ? 0.9 : 0.4
}

/** True when a text contains all words of a topic or, with `isLenient`, one of the longer words. */
export function isAbout(text: string, topic: string, isLenient = false): boolean {
  const words = wordsOf(text)
  const topicStems = wordsOf(topic).map(stem)
  const has = (part: string) => words.some((word) => (part.length < 4 ? word === part : word.startsWith(part)))
  return isLenient ? topicStems.some((part) => part.length >= 4 && has(part)) : topicStems.every(has)
}

function wordsOf(text: string): string[] {
  return plainText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Removes a plural ending from longer words. */
function stem(text: string): string {
  return text.length > 5 ? text.replace(/(?:es|en|s|n|e)$/, '') : text.length > 4 ? text.replace(/s$/, '') : text
}

function clean(input: string): string {
  return cutText(input, MAX_CHARACTERS)
    .replace(/[’‘]/g, "'")
    .replace(/[¿?¡!"“”„«».,:;]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
