import type { Language } from '@mira/shared'
import { englishRewrites } from './english.ts'
import { frenchRewrites } from './french.ts'
import { germanRewrites } from './german.ts'
import type { ReminderRewrites } from './rewrite.ts'
import { spanishRewrites } from './spanish.ts'

export const reminderRewrites: Readonly<Record<Language, ReminderRewrites>> = {
  en: englishRewrites,
  es: spanishRewrites,
  fr: frenchRewrites,
  de: germanRewrites,
}
