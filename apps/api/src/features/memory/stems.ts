/** Text search configurations that know the stems of a language. */
export const stemmedLanguages = ['english', 'spanish', 'french', 'german'] as const
export type StemmedLanguage = (typeof stemmedLanguages)[number]

/** The stem of a word in each language; null where the word says nothing (the, und, le). */
export type Stems = Record<StemmedLanguage, string | null>
