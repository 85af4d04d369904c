import 'katex/dist/katex.min.css'
import katex, { type KatexOptions } from 'katex'
import { useLayoutEffect, useRef } from 'react'
import remarkMath from 'remark-math'

// A formula must not load anything or take over the page, and one that is wrong is shown as it was written.
const options: KatexOptions = {
  strict: 'ignore',
  trust: false,
  throwOnError: false,
  errorColor: 'currentColor',
  maxSize: 20,
  maxExpand: 500,
}

/** Reads formulas between two dollar signs; `normaliseMaths` brings the other ways of writing them into this one. */
export const formulaPlugins: [[typeof remarkMath, { singleDollarTextMath: boolean }]] = [
  [remarkMath, { singleDollarTextMath: false }],
]

/** A formula as it is read. It is drawn node by node: the content security policy allows no styles in markup. */
export function Formula({ source, isDisplayed }: { source: string; isDisplayed: boolean }) {
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (place.current) katex.render(source, place.current, { ...options, displayMode: isDisplayed })
  }, [source, isDisplayed])
  return <span ref={place} className={isDisplayed ? 'block' : undefined} />
}
