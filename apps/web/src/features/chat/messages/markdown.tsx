import { lazy, Suspense } from 'react'
import { loadAhead } from '../../../ui/lazy-part.tsx'
import type { MarkdownProps } from './markdown-body.tsx'
import { PlainText } from './plain-text.tsx'

const loadBody = async () => {
  try {
    const { MarkdownBody } = await import('./markdown-body.tsx')
    return { default: MarkdownBody }
  } catch (error) {
    // Plain text is better than no answer, for example when offline. The error isn't caught in a second argument of `then`,
    // because the build would place that argument where it misses the failure of a style sheet.
    console.error('The Markdown renderer could not be loaded', error)
    return { default: PlainText }
  }
}
const MarkdownBody = lazy(loadBody)

/** Loads the renderer ahead of the first answer, but only after the first screen has loaded. */
export const preloadMarkdown = (): (() => void) => loadAhead(() => import('./markdown-body.tsx'))

/** Rendered Markdown; plain text until the renderer has loaded. */
export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<PlainText {...props} />}>
      <MarkdownBody {...props} />
    </Suspense>
  )
}
