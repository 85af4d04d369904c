import { fenceAfter } from '../../../lib/format/markdown-blocks.ts'

/** True when a text may hold formulas, so that their renderer is worth loading. */
export function mayHoldMaths(markdown: string): boolean {
  return /\$\$|\\\(|\\\[|\$[^\s$]/.test(markdown)
}

/**
 * Writes formulas as the renderer reads them, whichever way a model wrote them: \(…\), \[…\], $…$ and $$…$$. Sums of
 * money stay what they are, and code is left alone.
 */
export function normaliseMaths(markdown: string): string {
  let fence = ''
  let text = ''
  let result = ''
  const flush = () => {
    result += outsideCode(text)
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

/** Between formulas and text in code marks, which come back as they are. */
function outsideCode(text: string): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 1 ? part : formulas(part)))
    .join('')
}

function formulas(text: string): string {
  return (
    text
      .replace(/\\\[((?:(?!\\[[\]]|\n[ \t]*\n)[\s\S])+)\\\]/g, (match, formula: string) =>
        // brackets that Markdown needs no backslash for: [1], [x]
        /^\s*\w{0,3}\s*$/.test(formula) ? match : displayed(formula),
      )
      .replace(/^[ \t]*\$\$([^\n$]+)\$\$[ \t]*$/gm, (_match, formula: string) => displayed(formula).trim())
      // before others become this form: what stands in \(…\) is a formula, even a wrong one
      .replace(/(?<![\\$])\$\$(?!\$)([^$\n]+)\$\$(?!\$)/g, (match, formula: string) =>
        readsAsFormula(formula.trim()) ? match : match.replaceAll('$', '\\$'),
      )
      .replace(/\\\((.+?)\\\)/g, (_match, formula: string) => `$$${formula.trim()}$$`)
      // A formula touches its marks, and no digit follows: "$5 and $10" is money. Nor does what a shell reads as a name.
      .replace(/(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![A-Z_{(\d$])/g, (match, formula: string) =>
        readsAsFormula(formula) ? `$$${formula}$$` : match,
      )
  )
}

/** True for what stands between two dollar signs as a formula, not between two prices or names of variables. */
function readsAsFormula(source: string): boolean {
  const plain = source.replace(/\\[a-zA-Z]+\*?(\s*\{[^{}]*\})?/g, 'x')
  const isCutOff = /^[)\]},;:/|]|[([/:,;=<>+*&|-]$/.test(plain.replace(/\\[{}|]/g, 'x'))
  // words of a sentence, and quotation marks around what a program reads
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

function displayed(formula: string): string {
  return `\n$$\n${formula.trim()}\n$$\n`
}

/** Half a formula is no longer than this; what goes on for longer is none. */
const OPEN_FORMULA_MAX_CHARACTERS = 500

/**
 * Leaves out a formula that is still being written at the end of a text, in any way of writing it: half of one reads
 * as something else, and would turn into the formula under the reader's eyes.
 */
export function withoutOpenFormula(markdown: string): string {
  if (markdown.split('\n').reduce(fenceAfter, '') !== '') return markdown
  const start = openFormulaStart(markdown)
  return start === -1 || markdown.length - start > OPEN_FORMULA_MAX_CHARACTERS ? markdown : markdown.slice(0, start)
}

function openFormulaStart(markdown: string): number {
  const marks = [...markdown.matchAll(/^[ \t]*\$\$[ \t]*$/gm)]
  if (marks.length % 2 === 1) return marks.at(-1)!.index
  for (const open of openFormulas) {
    const match = open.exec(markdown)
    if (match && !isInCode(markdown, match)) return match.index
  }
  return -1
}

/** Beginnings of unfinished formulas. Single dollars count only when no amount of money follows. */
const openFormulas = [
  /(?<=^|\n)[ \t]*\$\$[ \t]*[^$\s][^$\n]*\$?$/,
  /\\\[(?:(?!\\\]|\n[ \t]*\n)[\s\S])*$/,
  /\\\((?:(?!\\\))[^\n])*$/,
  /(?<![\\$\w])\$[a-zA-Z\\][^$\n]{0,80}$/,
  /(?<!\$)[\\$]$/,
]

function isInCode(markdown: string, { index }: RegExpExecArray): boolean {
  return (markdown.slice(0, index).match(/`/g)?.length ?? 0) % 2 === 1
}
