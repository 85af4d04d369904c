/** True for a formula between two dollar signs; false for text between two prices or variable names. */
export function looksLikeFormula(source: string): boolean {
  const plain = source.replace(/\\[a-zA-Z]+\*?(\s*\{[^{}]*\})?/g, 'x')
  // words of a sentence, or the quotation marks of code
  const isProse = /(?<![\p{L}\d])\p{L}{2,}[,;]? \p{L}{2,}(?!\p{L})|["`]/u.test(plain)
  const isPrice = /^\d[\d.,]*\s?(?:[–—-]|\p{L}{2})/u.test(plain)
  return !isCutOff(plain, source) && !isProse && !isPrice && areBracketsClosed(plain)
}

/** True for a text between double dollar signs that fills several lines like a formula. */
export function looksLikeDisplayFormula(source: string): boolean {
  return /\\[a-zA-Z]/.test(source) || looksLikeFormula(source.trim())
}

/** True for the content of needlessly escaped brackets, such as \[1\] and \[x\]. */
export function isNeedlesslyEscaped(source: string): boolean {
  return /^\s*\w{0,3}\s*$/.test(source)
}

/** True when a formula begins or ends with a sign that needs something before or after it. */
function isCutOff(plain: string, source: string): boolean {
  const ends = plain
    .replace(/\\[{}|$]/g, 'x')
    // exponents and indices of a sign: x^*, x^+, x_{-}
    .replace(/[\^_]\s*(?:[-+*]{1,2}|\{\s*[-+*]{1,2}\s*\})$/, 'x')
    // absolute values |x| and norms ||x||
    .replace(/\|[^|]+\|/g, 'x')
    .replace(/\|[^|]+\|/g, 'x')
  // kets and conditions, such as |\psi\rangle: a single bar
  const withoutBars = /\\[a-zA-Z]/.test(source) ? ends.replaceAll('|', 'x') : ends
  return /^[)\]},;:/|–—·•]|[([/:,;=<>+*&|–—·•^_-]$/.test(withoutBars)
}

function areBracketsClosed(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if ('([{'.includes(character)) depth++
    // half-open intervals close one bracket with another: [0, 1)
    if (')]}'.includes(character) && --depth < 0) return false
  }
  return depth === 0
}
