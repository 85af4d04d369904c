import type { Source } from '@mira/shared'
import { AudioLines, FileText, Film, Globe, Image, MessageSquareText } from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useItemPeek } from '../../../lib/session/navigation-state.ts'
import { classNames } from '../../../ui/class-names.ts'
import { SavePageButton, sourceUrl, useLocationText, webUrlOf } from './citation.tsx'

const mediaIcons: Record<string, typeof FileText> = {
  chat: MessageSquareText,
  image: Image,
  video: Film,
  audio: AudioLines,
  document: FileText,
  web: Globe,
}

/** Sources of an answer, numbered as cited, each with a link. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  const text = useText('chat')
  const labelId = useId()
  return (
    <div className="mt-4 border-t border-border pt-3">
      <h3 id={labelId} className="mb-2 text-12 font-medium text-muted">
        {text('sources.label')}
      </h3>
      <ol aria-labelledby={labelId} className="grid gap-2 sm:grid-cols-2">
        {sources.map((source) => (
          <li key={source.n} className="min-w-0">
            <SourceCard source={source} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function SourceCard({ source }: { source: Source }) {
  const [hasPicture, setHasPicture] = useState(source.thumbnail !== null)
  const Icon = mediaIcons[source.media_type] ?? FileText
  const peek = useItemPeek()
  const location = useLocationText()(source)
  const pageUrl = webUrlOf(source)
  const cardClass =
    'flex h-full min-h-11 min-w-0 flex-1 gap-2.5 rounded-control border border-border bg-surface px-3 py-2 text-13 transition-colors shade-on-hover hover:border-border-strong'
  const summary = (
    <>
      <span className="mt-0.5 grid size-5 shrink-0 place-items-center rounded-full bg-ai-soft text-12 font-medium text-ai-text tabular-nums">
        {source.n}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5 font-medium">
          <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="truncate">{source.title}</span>
          {pageUrl !== null && <span className="shrink-0 font-normal text-muted">{new URL(pageUrl).host}</span>}
          {location !== '' && <span className="shrink-0 font-normal text-muted">{location}</span>}
        </span>
        <span className="mt-0.5 line-clamp-2 text-muted">{source.snippet}</span>
      </span>
      {source.thumbnail !== null && hasPicture && (
        // the file may have been deleted since
        <img
          src={source.thumbnail}
          alt=""
          loading="lazy"
          decoding="async"
          className={classNames(
            'size-14 shrink-0 rounded-control border border-border object-cover',
            // a page is recognised by its top
            source.media_type === 'document' && 'object-top',
          )}
          onError={() => setHasPicture(false)}
        />
      )}
    </>
  )
  if (pageUrl === null) {
    return (
      <Link to={sourceUrl(source)} onClick={peek(source.url)} className={cardClass}>
        {summary}
      </Link>
    )
  }
  return (
    <div className="flex h-full items-center gap-1">
      <a href={pageUrl} target="_blank" rel="noopener noreferrer" className={cardClass}>
        {summary}
      </a>
      <SavePageButton source={source} pageUrl={pageUrl} />
    </div>
  )
}
