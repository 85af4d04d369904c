import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Sentences of everyday talk about nothing in particular, no two about the same. @param language ISO 639-1 code. */
export function everydaySentences(language: 'en' | 'es' | 'fr' | 'de' | 'ja' | 'zh'): string {
  return readFileSync(join(import.meta.dirname, `${language}.txt`), 'utf8')
}
