import type { PhraseLanguage, TimeWords } from '../time-words.ts'
import { englishTimes } from './english.ts'
import { frenchTimes } from './french.ts'
import { germanTimes } from './german.ts'
import { spanishTimes } from './spanish.ts'

export const timeWords: Readonly<Record<PhraseLanguage, TimeWords>> = {
  en: englishTimes,
  es: spanishTimes,
  fr: frenchTimes,
  de: germanTimes,
}
