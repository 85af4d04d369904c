import type { JudgedMoment } from '../evidence.ts'
import type { MemoryStore } from '../memory.store.ts'
import type { SearchScope } from '../scope.ts'
import { wordsOf } from '../split-words.ts'
import type { Term } from '../terms.ts'
import { weights } from '../weights.ts'

const MAX_TAGGED = 100

/** Items with a tag that is a word of the query: a user's own word for a thing counts like one of its text. */
export async function findByTags(
  store: Pick<MemoryStore, 'findTagged'>,
  { terms }: { terms: Term[] },
  scope: SearchScope,
): Promise<JudgedMoment[]> {
  const words = terms.map(({ word }) => word)
  if (words.length === 0) return []
  const tagged = await store.findTagged(scope, words, MAX_TAGGED)
  return tagged.map(({ tags, ...moment }) => {
    const tagWords = new Set(tags.flatMap(wordsOf))
    const perWord = (weight: number) => words.map((word) => (tagWords.has(word) ? weight : 0))
    return {
      moment,
      evidence: {
        strengths: perWord(weights.match.tagStrength),
        counts: perWord(1),
        shares: perWord(weights.match.tag),
        guesses: new Map(),
        pairs: words.map(() => 0),
        phrases: 0,
        words: words.map(() => new Set<string>()),
      },
    }
  })
}
