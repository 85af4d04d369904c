/** Openings of a request to remember something, in each language; the fact follows. */
const patterns: readonly RegExp[] = [
  /^(?:please )?(?:remember|keep in mind|note|don['’]t forget)(?: that|:)\s+(?=\S)/iu,
  /^(?:por favor,? )?(?:recuerda|acuérdate de|ten en cuenta|no olvides)(?: que|:)\s+(?=\S)/iu,
  /^(?:s['’]il (?:te|vous) plaît,? )?(?:retenez|retiens|souviens[- ]toi|souvenez[- ]vous|notez?|n['’]oubliez? pas)(?: ?:| que| qu['’])\s*(?=\S)/iu,
  /^(?:bitte )?(?:merke? dir|denk daran|vergiss nicht|behalte?)(?:,? dass|:)\s+(?=\S)/iu,
]

/** Longer ones are stories, not wishes. */
const LONGEST_WISH_CHARACTERS = 500

/** Fact that a sentence asks to remember; null when it asks for something else. */
export function rememberWish(sentence: string): string | null {
  const text = sentence.trim()
  if (text.length > LONGEST_WISH_CHARACTERS || text.endsWith('?')) return null
  const found = patterns.find((pattern) => pattern.test(text))
  if (found === undefined) return null
  const fact = text.replace(found, '')
  return fact.charAt(0).toLocaleUpperCase() + fact.slice(1)
}
