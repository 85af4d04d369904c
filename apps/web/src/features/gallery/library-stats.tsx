import { useQuery } from '@tanstack/react-query'
import { Loader, TriangleAlert } from 'lucide-react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Badge, badgeClass } from '../../ui/badge.tsx'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type LibraryFilters, mediaTypes } from './library-filters.ts'
import { statsQuery } from './library-queries.ts'

/** How much there is of each kind, how large it is, and what is being worked on or went wrong. */
export function LibraryStats({ onFilter }: { onFilter: (change: Partial<LibraryFilters>) => void }) {
  const text = useText('gallery')
  const format = useFormat()
  const query = useQuery(statsQuery)
  const stats = query.data
  if (query.isError && !stats) return <LoadFailed query={query} className="mb-5" />
  return (
    <section
      aria-label={text('stats.label')}
      className="mb-5 flex flex-wrap items-center gap-x-8 gap-y-4 rounded-card border border-border bg-surface-raised px-4 py-4 sm:px-5"
    >
      <dl className="grid w-full grid-cols-3 gap-x-3 sm:gap-x-8 gap-y-4 sm:flex sm:w-auto sm:flex-wrap">
        <Figure label={text('stats.total')} value={stats && format.number(stats.total_items)} isMain />
        {mediaTypes.map((type) => (
          <Figure
            key={type}
            label={text(`types.${type}`)}
            icon={<MediaIcon type={type} className="size-3.5" />}
            value={stats && format.number(stats.by_type[type])}
          />
        ))}
        <Figure label={text('stats.size')} value={stats && format.bytes(stats.total_bytes)} />
      </dl>
      {stats && (stats.processing > 0 || stats.failed > 0) && (
        <div className="flex flex-wrap gap-2 sm:ml-auto">
          {stats.processing > 0 && (
            <Badge tone="accent" icon={<Loader aria-hidden className="animate-spin" />}>
              {text('stats.processing', { count: stats.processing })}
            </Badge>
          )}
          {stats.failed > 0 && (
            <button
              type="button"
              onClick={() => onFilter({ status: 'failed' })}
              className={badgeClass('danger', 'relative touch-area shade-on-hover')}
            >
              <TriangleAlert aria-hidden />
              {text('stats.failed', { count: stats.failed })}
            </button>
          )}
        </div>
      )}
    </section>
  )
}

function Figure({ label, icon, value, isMain = false }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col-reverse gap-0.5">
      <dt className="flex items-center gap-1.5 text-12 text-muted">
        {icon && <span className="max-sm:hidden">{icon}</span>}
        <span className="truncate">{label}</span>
      </dt>
      <dd
        className={
          isMain
            ? 'text-20 font-semibold whitespace-nowrap tabular-nums'
            : 'text-20 font-medium whitespace-nowrap tabular-nums'
        }
      >
        {value ?? <Skeleton className="h-6 w-10" />}
      </dd>
    </div>
  )
}

type FigureProps = { label: string; icon?: React.ReactNode; value: string | undefined; isMain?: boolean }
