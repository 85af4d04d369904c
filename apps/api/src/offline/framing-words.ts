import type { Language } from '@mira/shared'

/**
 * Words by which a question says that it asks what stands, is said, happens or is to be seen somewhere. They tell nothing of
 * what is looked for, and what is meant seldom holds them. Words that also name things have no place here ("mot de passe",
 * "Stand", "United States"): a text with the rest would count as what was asked for. Those that PostgreSQL knows to only join
 * words are not repeated.
 */
const framing: Record<Language, string> = {
  en: `say says said saying tell tells told mention mentions mentioned written write writes wrote stated according
    happens happen happened happening shown seen described describe`,
  de: `steht stehen sagt sagen gesagt spricht gesprochen schreibt geschrieben erwähnt erwähnen passiert geschieht sehen
    gezeigt zeigt gemäß erzähl erzähle beschreibe beschreibt`,
  es: `dice dicen dicho decir dijo habla hablan háblame menciona mencionan escrito según acerca pasa pasar ocurre sucede ve ver
    muestra cuéntame pone describe`,
  fr: `dit disent dire parle parlent mentionne mentionnent écrit écrite selon après voit voir montre raconte décris décrivez`,
}

const byLanguage = new Map(Object.entries(framing).map(([language, words]) => [language, new Set(words.split(/\s+/))]))

/** True for a word, in lower case, that only frames questions in a language (ISO 639-1). */
export function isFraming(word: string, language: string | null): boolean {
  return byLanguage.get(language ?? '')?.has(word) ?? false
}

/** True for a stop word that PostgreSQL doesn't know: its French list lacks an article. */
export function isArticle(word: string, language: string | null): boolean {
  return language === 'fr' && word === 'les'
}
