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
 * A rendered formula; an invalid one is shown as its source. It's rendered into DOM nodes: the content security policy
 * allows no inline styles in markup, with which KaTeX would show errors.
 */
export function Formula({ source, isDisplayed }: { source: string; isDisplayed: boolean }) {
  const container = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (!container.current) return
    try {
      katex.render(source, container.current, { ...options, displayMode: isDisplayed })
    } catch (error) {
      if (!(error instanceof katex.ParseError)) throw error
      container.current.textContent = source
    }
  }, [source, isDisplayed])
  return <span ref={container} className={isDisplayed ? 'block' : undefined} />
}
