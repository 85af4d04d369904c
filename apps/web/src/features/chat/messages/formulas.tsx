import 'katex/dist/katex.min.css'
import katex, { type KatexOptions } from 'katex'
import { useLayoutEffect, useRef } from 'react'
import remarkMath from 'remark-math'

// A formula must not load anything or take over the page.
const options: KatexOptions = {
  strict: 'ignore',
  trust: false,
  throwOnError: true,
  maxSize: 20,
  maxExpand: 500,
}

/** Parses formulas between double dollar signs, to which `normaliseMaths` converts the other notations. */
export const formulaPlugins: [[typeof remarkMath, { singleDollarTextMath: boolean }]] = [
  [remarkMath, { singleDollarTextMath: false }],
]

/**
 * A rendered formula, or its source if it's invalid. The content security policy blocks inline styles in markup, so it's
 * rendered into DOM nodes, and KaTeX must not show errors, which it marks with a style attribute.
 */
export function Formula({ source, isDisplayed }: { source: string; isDisplayed: boolean }) {
  const container = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (!container.current) return
    try {
      katex.render(source, container.current, { ...options, displayMode: isDisplayed })
    } catch (error) {
      // KaTeX also throws plain errors for invalid formulas, for example an array without column alignments.
      if (!(error instanceof katex.ParseError)) console.warn('A formula could not be rendered', error)
      container.current.textContent = source
    }
  }, [source, isDisplayed])
  return <span ref={container} className={isDisplayed ? 'block' : undefined} />
}
