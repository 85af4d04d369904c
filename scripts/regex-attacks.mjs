/** Characters to try on a character class, to find some that it matches. */
const CANDIDATES = [...'aA1 \n\t-_.,:;/"\'<>()[]{}é|=*#@\\`~!?+&%$日\u0301’']
const ATOM = /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{?[\da-fA-F]+\}?|\\.|[^\\()[\]|?*+{}^$]/gsu
const ESCAPES = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', 0: '\0' }
const MAX_UNITS = 12
const MAX_PAIRED_CHARACTERS = 6
const MAX_WORDS = 4
const MAX_PREFIX_ATOMS = 10
/** Character that hardly any pattern matches, so that it makes a pattern backtrack. */
const UNMATCHED = '\u0000'
const ENDINGS = [UNMATCHED, `${UNMATCHED} ${UNMATCHED}`]
const USUAL_UNITS = ['a', '1', ' ', '.', '"', '[', '(', 'a ', 'a.', '1,']

/** Short strings to repeat, made of characters that the pattern matches. */
function unitsOf(source) {
  const atoms = (source.match(ATOM) ?? []).map(charactersOf).filter((characters) => characters.length > 0)
  const singles = [...new Set(atoms.flat())].slice(0, MAX_UNITS)
  const paired = singles.slice(0, MAX_PAIRED_CHARACTERS)
  const pairs = paired.flatMap((one) => paired.flatMap((other) => (one === other ? [] : [one + other])))
  // prefixes of possible matches, such as "[a](" of a link
  const firsts = atoms.slice(0, MAX_PREFIX_ATOMS).map(([first]) => first)
  const prefixes = firsts.map((_first, index) => firsts.slice(0, index + 1).join(''))
  const words = (source.match(/[\p{L}\d]{2,}/gu) ?? []).slice(0, MAX_WORDS)
  return new Set([...singles, ...pairs, ...prefixes, ...words, ...words.map((word) => `${word} `), ...USUAL_UNITS])
}

/** Characters that an atom of a pattern matches; none for an assertion. */
function charactersOf(atom) {
  if (/^\\[bB]$/.test(atom)) return []
  if (/^(?:\[|\\[pPdDwWsS]|\.$)/.test(atom)) {
    const matching = new RegExp(`^${atom}$`, /\\[pP]\{|\\u\{/.test(atom) ? 'u' : '')
    return CANDIDATES.filter((character) => matching.test(character)).slice(0, 4)
  }
  return [atom.startsWith('\\') ? (ESCAPES[atom[1]] ?? atom.slice(1, 2)) : atom]
}

/**
 * Makes strings of `length` characters that make a pattern backtrack, if anything does: repetitions of what it matches, with an
 * unmatched character before or after them.
 * @param {string} source
 * @param {number} length
 */
export function* attacksOn(source, length) {
  for (const unit of unitsOf(source)) {
    const repeated = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
    for (const ending of ENDINGS) yield repeated.slice(0, length - ending.length) + ending
    yield UNMATCHED + repeated.slice(1)
  }
}
