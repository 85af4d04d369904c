import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askedWordsOf, isUnspaced } from './split-words.ts'

const spaced: ReadonlySet<string> = new Set(['en', 'es', 'fr', 'de'])
/** Their words are told by how they are written, whatever the language is taken for. */
const unspaced = ['ja', 'zh']
/** Bytes of a word with what stands beside it. */
const BYTES_PER_WORD = 6
/** Factor for the sample, which is written language: spoken sentences have more of these words. */
const SPOKEN_MORE = 1.5

interface Sample {
  words: number
  counts: Map<string, number>
}

const samples = new Map<string, Sample>()

/**
 * The share of all texts of a length that would hold a word if people wrote as they talk, by the sentences in `everyday`: they
 * are about nothing in particular, no two of them about the same. A small memory of letters and bills cannot tell that "did"
 * and "which" tell nothing. A word that was counted once may be there by chance, so it is not counted.
 * @param language ISO 639-1 code of the query; in one that is not known no word is common.
 */
export function everydayShare(word: string, language: string | null, averageBytes: number): number {
  const asked = isUnspaced(word) ? unspaced : spaced.has(language ?? '') ? [language ?? ''] : []
  return Math.max(0, ...asked.map((one) => shareIn(sampleOf(one), word, averageBytes)))
}

function shareIn({ words, counts }: Sample, word: string, averageBytes: number): number {
  const again = (counts.get(word) ?? 1) - 1
  return 1 - Math.exp((-SPOKEN_MORE * again * averageBytes) / BYTES_PER_WORD / words)
}

function sampleOf(language: string): Sample {
  const known = samples.get(language)
  if (known) return known
  const words = askedWordsOf(readFileSync(join(import.meta.dirname, 'everyday', `${language}.txt`), 'utf8'))
  // characters of a Chinese query are looked for as well
  const characters = words.flatMap((word) => (isUnspaced(word) ? [...word].slice(0, 1) : []))
  const counts = new Map<string, number>()
  for (const word of [...words, ...characters]) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sample = { words: words.length, counts }
  samples.set(language, sample)
  return sample
}
