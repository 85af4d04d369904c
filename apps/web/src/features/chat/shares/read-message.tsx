import type { PublicShareJson } from '@mira/shared'
import { WEB_SOURCE } from '@mira/shared/constants/agents'
import type { ReactNode } from 'react'
import { apiUrl } from '../../../lib/api/client.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { Markdown } from '../messages/markdown.tsx'
import './shared-print.css'

/** Message in a read-only view. */
type ReadableMessage = Omit<PublicShareJson['messages'][number], 'sources'> & {
  sources: { n: number; title: string; url?: string; media_type?: string }[]
}

/** Page of a conversation to read and print. */
export function ReadingPage({ isPending, children }: { isPending: boolean; children: ReactNode }) {
  const text = useText('app')
  return (
    <main
      data-shared=""
      className="mx-auto flex min-h-dvh w-full max-w-[47.5rem] flex-col gap-6 px-4 py-6 sm:py-10 print:max-w-none print:p-0"
    >
      {isPending && (
        <LoadingRegion label={text('common.loading')}>
          <Skeleton className="h-64" />
        </LoadingRegion>
      )}
      {children}
    </main>
  )
}

/** Read-only message, for reading and printing. */
export function ReadOnlyMessage({ message, assistant }: { message: ReadableMessage; assistant: string }) {
  const text = useText('shares')
  const format = useFormat()
  const isQuestion = message.role === 'user'
  const author = isQuestion ? text('person') : assistant
  return (
    <article aria-label={author} className="flex min-w-0 flex-col gap-2 print:break-inside-avoid-page">
      <p className="flex flex-wrap gap-x-2 text-12 text-muted">
        <span className="font-medium text-text">{author}</span>
        <span>{format.dateTime(message.created_at)}</span>
        {message.model_used !== null && <span>{message.model_used}</span>}
      </p>
      {message.images.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {message.images.map(({ url, name, width, height }) => (
            <li key={url}>
              <img
                src={apiUrl(url.replace(/^\/api/, ''))}
                alt={name}
                width={width}
                height={height}
                loading="lazy"
                className="h-auto max-h-80 w-auto max-w-full rounded-control border border-border"
              />
            </li>
          ))}
        </ul>
      )}
      {isQuestion ? (
        <p
          dir="auto"
          className="rounded-card bg-accent-soft px-4 py-2.5 text-[0.9375rem] leading-relaxed break-words whitespace-pre-wrap"
        >
          {message.content}
        </p>
      ) : (
        <div className="text-[0.9375rem]">
          <Markdown text={message.content} isStreaming={false} />
        </div>
      )}
      {message.sources.length > 0 && (
        <p className="text-13 text-muted">
          {text('sources', { sources: message.sources.map(sourceText).join(' · ') })}
        </p>
      )}
    </article>
  )
}

/** Source as text; for a web page with its URL, because links don't work on paper. */
function sourceText({ n, title, url, media_type }: ReadableMessage['sources'][number]): string {
  return media_type === WEB_SOURCE && url !== undefined ? `[${n}] ${title} (${url})` : `[${n}] ${title}`
}
