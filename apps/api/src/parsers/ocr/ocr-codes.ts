/** Tesseract's codes of the languages whose data are there. */
export const codeByLanguage = { en: 'eng', es: 'spa', fr: 'fra', de: 'deu' } as const
