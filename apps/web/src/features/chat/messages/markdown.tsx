import { lazy, Suspense } from 'react'
import type { MarkdownProps } from './markdown-body.tsx'

/** The renderer is not waited for any longer than this. */
const LATEST_MS = 2_000

const loadBody = () =>
  import('./markdown-body.tsx').then(
    (module) => ({ default: module.MarkdownBody }),
    (error: unknown) => {
      // An answer without its looks is better than none, for example when the network is away.
      console.error('The renderer of Markdown could not be loaded', error)
      return { default: PlainText }
    },
  )
const MarkdownBody = lazy(loadBody)

/** Loads the renderer ahead of the first answer, but not before what is seen first is there. */
export function preloadMarkdown(): void {
  const load = () => {
    // whoever shows an answer tries again, and says what came of it
    if (navigator.onLine) import('./markdown-body.tsx').catch(() => {})
  }
  // not every browser says when it has nothing to do
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: LATEST_MS })
  else setTimeout(load, LATEST_MS)
}

/** A text in Markdown; its renderer is loaded when the first one is shown, until then the text stands as it is. */
export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<PlainText {...props} />}>
      <MarkdownBody {...props} />
    </Suspense>
  )
}

function PlainText({ text }: MarkdownProps) {
  return <div className="leading-relaxed break-words whitespace-pre-wrap">{text}</div>
}
