import { lazy, Suspense } from 'react'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'

const NoteMarkdownBody = lazy(async () => {
  try {
    const module = await import('./note-markdown-body.tsx')
    return { default: module.NoteMarkdownBody }
  } catch (error) {
    console.error('The Markdown renderer could not be loaded', error)
    return { default: PlainText }
  }
})

/** Renders a user's Markdown; shows it as plain text until the renderer has loaded. Uses the texts of `notes`. */
export function NoteMarkdown({ text }: { text: string }) {
  return (
    <ErrorBoundary resetKey={text} fallback={<PlainText text={text} />}>
      <Suspense fallback={<PlainText text={text} />}>
        <NoteMarkdownBody text={text} />
      </Suspense>
    </ErrorBoundary>
  )
}

function PlainText({ text }: { text: string }) {
  return <div className="leading-relaxed wrap-anywhere whitespace-pre-wrap">{text}</div>
}
