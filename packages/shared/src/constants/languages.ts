/** Supported languages, as ISO 639-1 codes. */
export const languages = ['en', 'es', 'fr', 'de'] as const
export type Language = (typeof languages)[number]

/** Name of each language, in the language itself and in English. */
export const languageNames: Record<Language, { own: string; english: string }> = {
  en: { own: 'English', english: 'English' },
  es: { own: 'Español', english: 'Spanish' },
  fr: { own: 'Français', english: 'French' },
  de: { own: 'Deutsch', english: 'German' },
}

/** Language of a code; null for an unsupported language. */
export function asLanguage(code: string | null | undefined): Language | null {
  return languages.find((language) => language === code) ?? null
}
