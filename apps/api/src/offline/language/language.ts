import { asLanguage, type Language, languages } from '@mira/shared/constants/languages'
import { detectAll } from 'tinyld/light'
import { setBounded } from '../../platform/lib/bounded-map.ts'

/**
 * Words that frame a question about a text ("what does it say", "what happens") and aren't worth searching for. Words that
 * also name things aren't in the list ("mot de passe", "Stand", "United States"): the search would ignore them, and find
 * texts with only the other words. PostgreSQL's stop words aren't repeated.
 */
const framing: Record<Language, string> = {
  en: `say says said saying tell tells told mention mentions mentioned written write writes wrote stated according
    happens happen happened happening shown seen described describe`,
  de: `steht stehen sagt sagen gesagt spricht gesprochen schreibt schreibe schrieb geschrieben erwähnt erwähnen passiert geschieht sehen
    gezeigt zeigt gemäß erzähl erzähle beschreibe beschreibt`,
  es: `dice dicen dicho decir dijo habla hablan háblame menciona mencionan escrito escribí escribo escribiste según acerca pasa pasar ocurre sucede ve ver
    cuéntame pone describe`,
  fr: `dit disent dire parle parlent mentionne mentionnent écrit écrite écris écrire selon après voit voir raconte décris décrivez`,
}

const framingByLanguage = new Map(
  Object.entries(framing).map(([language, words]) => [language, new Set(words.split(/\s+/))]),
)

/** True for a word, in lower case, that only frames questions in a language (ISO 639-1). */
export function isFraming(word: string, language: string | null): boolean {
  return framingByLanguage.get(language ?? '')?.has(word) ?? false
}

/** True for a stop word that PostgreSQL doesn't know: its French list lacks an article. */
export function isArticle(word: string, language: string | null): boolean {
  return language === 'fr' && word === 'les'
}

const ASKING =
  /^[\s\p{P}]*(?:(?:and|und|y|et)\s+)?(?:what|where|when|who|whom|how|which|why|was|wo|wann|wer|wen|wem|wie|warum|welche[mnrs]?|qu[eé]|d[oó]nde|cu[aá]ndo|qui[eé]n(?:es)?|c[oó]mo|por\s+qu[eé]|où|quand|qui|quoi|comment|pourquoi|quel(?:le)?s?|qu['’])(?!\p{L})/iu

/** True for a text that opens like a question: "what", "wo", "qué", "où". */
export const isAsking = (text: string): boolean => ASKING.test(text)

/** Words that are frequent in one of the languages and rare in the others, without accents. */
const tellingWords: Record<Language, Set<string>> = {
  en: new Set(
    (
      'the and is are was were you your me what who when where why how which this that these those it its of to at up for with ' +
      'from have has had do does did can could would should will my we they there about not please hello hi hey ' +
      'thanks thank remind find today tomorrow'
    ).split(' '),
  ),
  es: new Set(
    (
      'el los las una unos y eres esta estan que quien cuando donde como cual cuanto por para con del al lo su me ' +
      'mi mis yo tu usted nosotros pero muy tambien hay tengo tienes puedo puedes quiero hola gracias favor buenos ' +
      'buenas dias tardes ayer hoy manana recuerdame recordame muestrame busca ponme'
    ).split(' '),
  ),
  fr: new Set(
    (
      'le les une et est sont suis du des au aux qui quoi quand ou pourquoi quel quelle ce cette ces dans ' +
      'pour avec je tu il elle nous vous ils me mon ma mes ton votre ne pas mais tres peux pouvez fait bonjour salut ' +
      'merci bonsoir moi rappelle rappelez montre montrez trouve cherche demain aujourd'
    ).split(' '),
  ),
  de: new Set(
    (
      'der die das den dem ein eine einen einem und ist sind war waren bist was wer wann wo warum wie welche ich ' +
      'du er wir ihr mein meine dein nicht kein keine aber auch auf mit von zu zum zur fur uber kannst konnen habe ' +
      'hallo danke bitte guten morgen tag mich erinnere erinner zeig zeige heute gestern'
    ).split(' '),
  ),
}

/** Word of two languages: counts as Spanish, and also as French if the text has another sign of French. */
const SHARED_WORD = 'que'
/** Words that are as frequent or ordinary in another language, and count only beside another sign: "Red Hat", "regnet es". */
const supportingWords: Record<Language, Set<string>> = {
  en: new Set(),
  es: new Set(['es', 'son']),
  fr: new Set(['comment', 'sur']),
  de: new Set(['es', 'bin', 'hat']),
}

/** Characters that only one of the languages uses; only French has spaces inside quotation marks. */
const tellingCharacters: Partial<Record<Language, RegExp>> = { es: /[¿¡ñ]/i, de: /[ßäö]/i, fr: /[çœèêàùîô]|«\s/i }

const JUDGED_CHARACTERS = 2000
/** Length of text for n-gram detection, which takes ten times as long as counting words. */
const DETECTED_CHARACTERS = 300
/** Minimum accuracy of n-gram detection, as the library reports it: 1 for n-grams that only one language has. */
const MIN_ACCURACY = 0.6

/** Lower-cased words without accents. */
export function plainWords(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  )
}

/**
 * True when a word (in lower case, without accents) is so frequent in a language that it only identifies the language.
 */
export function indicatesLanguage(word: string): boolean {
  return languages.some((language) => tellingWords[language].has(word) || supportingWords[language].has(word))
}

/** Cached because a message is judged several times while it's answered. */
const MAX_CACHED_TEXTS = 64
const cachedLanguages = new Map<string, Language | null>()

/** Language of a text, among the supported ones; null for any other language, or when unsure. */
export function guessLanguage(text: string): Language | null {
  const judged = text.slice(0, JUDGED_CHARACTERS)
  const cached = cachedLanguages.get(judged)
  if (cached !== undefined) return cached
  const language = judgeLanguage(judged)
  setBounded(cachedLanguages, judged, language, MAX_CACHED_TEXTS)
  return language
}

function judgeLanguage(judged: string): Language | null {
  const words = plainWords(judged)
  const scores = languages.map((language) => {
    const telling = words.filter((word) => tellingWords[language].has(word)).length
    const score = telling + (tellingCharacters[language]?.test(judged) ? 1 : 0)
    const isSupported = score > 0 || words.length === 1
    const supporting = isSupported ? words.filter((word) => supportingWords[language].has(word)).length : 0
    const shared = language === 'fr' && score > 0 && words.includes(SHARED_WORD) ? 1 : 0
    return { language, score: score + supporting + shared }
  })
  scores.sort((a, b) => b.score - a.score)
  const [first, second] = scores
  // A telling word in a long text of another language is a coincidence.
  const isFrequent = first !== undefined && first.score * 12 >= words.length
  if (first && second && first.score > second.score && isFrequent) return first.language
  const guessed = detectAll(judged.slice(0, DETECTED_CHARACTERS))[0]
  return guessed && guessed.accuracy >= MIN_ACCURACY ? asLanguage(guessed.lang) : null
}

const searchConfigurations: Record<Language, string> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }

/** PostgreSQL text search configuration of a language; `simple` when unknown. */
export function searchConfiguration(language: Language | null): string {
  return language ? searchConfigurations[language] : 'simple'
}

/** Language of a PostgreSQL text search configuration; null for `simple`. */
export function languageOfConfiguration(configuration: string): Language | null {
  return languages.find((language) => searchConfigurations[language] === configuration) ?? null
}

/** PostgreSQL text search configuration for a text's language. */
export function searchConfigurationOf(text: string): string {
  return searchConfiguration(guessLanguage(text))
}
