import { fenceAfter } from './markdown-blocks.ts'

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
      .replace(/\\\[([\s\S]+?)\\\]/g, (_match, formula: string) => displayed(formula))
      .replace(/^[ \t]*\$\$([^\n$]+)\$\$[ \t]*$/gm, (_match, formula: string) => displayed(formula).trim())
      .replace(/\\\((.+?)\\\)/g, (_match, formula: string) => `$$${formula.trim()}$$`)
      // A formula touches its marks, and no digit follows: "$5 and $10" is money.
      .replace(/(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![\d$])/g, (_match, formula: string) => `$$${formula}$$`)
  )
}

function displayed(formula: string): string {
  return `\n$$\n${formula.trim()}\n$$\n`
}
