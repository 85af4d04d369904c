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

/** Reads formulas between two dollar signs; `normaliseMaths` brings the other ways of writing them into this one. */
export const formulaPlugins: [[typeof remarkMath, { singleDollarTextMath: boolean }]] = [
  [remarkMath, { singleDollarTextMath: false }],
]

/**
 * A formula as it is read; one that is wrong stands as it was written. It is drawn node by node: the content security
 * policy allows no styles in markup, which is how the renderer would show what is wrong.
 */
export function Formula({ source, isDisplayed }: { source: string; isDisplayed: boolean }) {
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (!place.current) return
    try {
      katex.render(source, place.current, { ...options, displayMode: isDisplayed })
    } catch (error) {
      if (!(error instanceof katex.ParseError)) throw error
      place.current.textContent = source
    }
  }, [source, isDisplayed])
  return <span ref={place} className={isDisplayed ? 'block' : undefined} />
}
