import { lazy, Suspense } from 'react'
import { loadAhead } from '../../../ui/lazy-part.tsx'
import type { MarkdownProps } from './markdown-body.tsx'

const loadBody = async () => {
  try {
    const { MarkdownBody } = await import('./markdown-body.tsx')
    return { default: MarkdownBody }
  } catch (error) {
    // An answer without its looks is better than none, for example when the network is away. Caught here and not by a
    // second argument of `then`, which the build would put where it does not hear of a style sheet that does not come.
    console.error('The renderer of Markdown could not be loaded', error)
    return { default: PlainText }
  }
}
const MarkdownBody = lazy(loadBody)

/** Loads the renderer ahead of the first answer, but not before what is seen first is there. */
export const preloadMarkdown = (): (() => void) => loadAhead(() => import('./markdown-body.tsx'))

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
