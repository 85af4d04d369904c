import type { Language } from '@mira/shared/constants/languages'

/**
 * The locale in which a language's dates, times and figures are written: its region is that of the browser, where the browser asks for
 * the language at all ("en-GB" of English).
 */
export function localeOf(language: Language, wanted: readonly string[] = navigator.languages): string {
  const locale = wanted.find((tag) => tag.split('-')[0] === language) ?? language
  try {
    // some browsers name what no standard knows: "en-US@posix"
    return Intl.getCanonicalLocales(locale)[0] ?? language
  } catch {
    return language
  }
}
