import type { NewsData } from '@mira/shared'
import { ExternalLink } from 'lucide-react'
import { useFormat } from '../../../lib/format.ts'
import { useText } from '../../../lib/i18n.ts'
import { RelativeTime } from '../../../lib/relative-time.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { SourceAge } from './source-age.tsx'

/** News with their sources; every text is plain text that others wrote. */
export function NewsList({ news }: { news: NewsData }) {
  const text = useText('agents')
  const format = useFormat()
  const { items, failed_feeds: failed, topic } = news
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {items.length === 0 ? (
        <p className="text-14 text-muted">{topic === null ? text('news.none') : text('news.noneAbout', { topic })}</p>
      ) : (
        <ol className="divide-y divide-border rounded-card border border-border bg-surface-raised">
          {items.map((item) => (
            <li key={`${item.url ?? ''} ${item.title}`} className="flex min-w-0 flex-col gap-1 px-4 py-3">
              <h3 className="text-14 font-medium break-words">
                {item.url === null ? (
                  item.title
                ) : (
                  <a
                    href={item.url}
                    target="_blank"
                    rel="noopener noreferrer"
                    className="rounded-control hover:text-accent-text hover:underline"
                  >
                    {item.title}
                    <ExternalLink aria-hidden className="ml-1.5 inline size-3.5 align-[-0.1em] text-muted" />
                    <span className="sr-only"> ({text('news.newTab')})</span>
                  </a>
                )}
              </h3>
              {item.summary !== null && <p className="line-clamp-3 text-13 break-words text-muted">{item.summary}</p>}
              <p className="flex flex-wrap gap-x-2 text-12 text-muted">
                <span>{item.source}</span>
                {item.published_at !== null && <RelativeTime moment={item.published_at} />}
              </p>
            </li>
          ))}
        </ol>
      )}
      {failed.length > 0 && (
        <Banner
          tone="warning"
          title={text('news.failed', { sources: format.list(failed.map(({ source }) => source)) })}
        >
          {failed[0]?.reason}
        </Banner>
      )}
      <SourceAge fetchedAt={news.fetched_at} isStale={news.is_stale} />
    </div>
  )
}
