import { fenceAfter, openBlock } from '../../../lib/format/markdown-blocks.ts'

/** True when a text may contain formulas, so that their renderer is worth loading. */
export function mayContainMaths(markdown: string): boolean {
  return /\$\$|\\\(|\\\[|\$[^\s$]/.test(markdown)
}

/**
 * Converts formulas to the renderer's notation from those that models use: \(…\), \[…\], $…$ and $$…$$. Amounts of money and
 * code are left unchanged.
 */
export function normaliseMaths(markdown: string): string {
  let fence = ''
  let text = ''
  let result = ''
  const flush = () => {
    result += convertOutsideCode(text)
    text = ''
  }
  for (const line of markdown.match(/[^\n]*\n|[^\n]+/g) ?? []) {
    const next = fenceAfter(fence, line)
    if (fence === '' && next === '') text += line
    else {
      flush()
      result += line
    }
    fence = next
  }
  flush()
  return result
}

/** Converts formulas outside of inline code. */
function convertOutsideCode(text: string): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 1 ? part : convertFormulas(part)))
    .join('')
}

function convertFormulas(text: string): string {
  return (
    text
      .replace(/\\\[((?:(?!\\[[\]]|\n[ \t]*\n)[\s\S])+)\\\]/g, (match, formula: string) =>
        // needlessly escaped brackets, such as \[1\] and \[x\]
        /^\s*\w{0,3}\s*$/.test(formula) ? match : displayFormula(formula),
      )
      .replace(/^[ \t]*\$\$([^\n$]+)\$\$[ \t]*$/gm, (_match, formula: string) => displayFormula(formula).trim())
      // This runs before other notations are converted to $$…$$, because their content is a formula, even an invalid one.
      .replace(/(?<![\\$])\$\$(?!\$)([^$\n]+)\$\$(?!\$)/g, (match, formula: string) =>
        looksLikeFormula(formula.trim()) ? match : match.replaceAll('$', '\\$'),
      )
      .replace(/\\\((.+?)\\\)/g, (_match, formula: string) => `$$${formula.trim()}$$`)
      // A formula touches its dollar signs; no digit ("$5 and $10" is money) or shell variable name follows the closing one.
      .replace(/(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![A-Z_{(\d$])/g, (match, formula: string) =>
        looksLikeFormula(formula) ? `$$${formula}$$` : match,
      )
  )
}

/** True for a formula between two dollar signs; false for text between two prices or variable names. */
function looksLikeFormula(source: string): boolean {
  const plain = source.replace(/\\[a-zA-Z]+\*?(\s*\{[^{}]*\})?/g, 'x')
  const isCutOff = /^[)\]},;:/|]|[([/:,;=<>+*&|-]$/.test(plain.replace(/\\[{}|]/g, 'x'))
  // words of a sentence, or the quotation marks of code
  const isProse = /(?<![\p{L}\d])\p{L}{2,}[,;]? \p{L}{2,}(?!\p{L})|["`]/u.test(plain)
  const isPrice = /^\d[\d.,]*\s?(?:[–—-]|\p{L}{2})/u.test(plain)
  return !isCutOff && !isProse && !isPrice && areBracketsClosed(plain)
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

function displayFormula(formula: string): string {
  return `\n$$\n${formula.trim()}\n$$\n`
}

/** Longer text after an opening mark isn't an unfinished formula. */
const OPEN_FORMULA_MAX_CHARACTERS = 500

/**
 * Removes a formula, in any notation, that is still being written at the end of a text. Half a formula would be shown as
 * other text, which would then turn into the formula in front of the reader.
 */
export function withoutOpenFormula(markdown: string): string {
  const { fence, formulaStart } = openBlock(markdown)
  if (fence !== '') return markdown
  const start = formulaStart ?? unfinishedFormulaStart(markdown)
  return start === -1 || markdown.length - start > OPEN_FORMULA_MAX_CHARACTERS ? markdown : markdown.slice(0, start)
}

function unfinishedFormulaStart(markdown: string): number {
  for (const pattern of openFormulaPatterns) {
    const match = pattern.exec(markdown)
    if (match && !isInCode(markdown, match)) return match.index
  }
  return -1
}

/** Beginnings of unfinished formulas. Single dollars count only when no amount of money follows. */
const openFormulaPatterns = [
  /(?<=^|\n)[ \t]*\$\$[ \t]*[^$\s][^$\n]*\$?$/,
  /\\\[(?:(?!\\\]|\n[ \t]*\n)[\s\S])*$/,
  /\\\((?:(?!\\\))[^\n])*$/,
  /(?<![\\$\w])\$[a-zA-Z\\][^$\n]{0,80}$/,
  /(?<!\$)[\\$]$/,
]

function isInCode(markdown: string, { index }: RegExpExecArray): boolean {
  return (markdown.slice(0, index).match(/`/g)?.length ?? 0) % 2 === 1
}
