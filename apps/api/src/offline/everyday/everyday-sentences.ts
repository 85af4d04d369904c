import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Everyday sentences on different subjects. @param language ISO 639-1 code. */
export function everydaySentences(language: 'en' | 'es' | 'fr' | 'de' | 'ja' | 'zh'): string {
  return readFileSync(join(import.meta.dirname, `${language}.txt`), 'utf8')
}
