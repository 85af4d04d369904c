/** Text search configurations that know the stems of a language. */
export const stemmedLanguages = ['english', 'spanish', 'french', 'german'] as const
export type StemmedLanguage = (typeof stemmedLanguages)[number]

/** The language of an ISO 639-1 code; null when none of these. */
export function stemmedLanguageOf(code: string | null): StemmedLanguage | null {
  const names: Record<string, StemmedLanguage> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }
  return names[code ?? ''] ?? null
}

/** The stem of a word in each language; null where it has none. */
export type Stems = Record<StemmedLanguage, string | null>
