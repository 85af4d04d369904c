import { CloudOff } from 'lucide-react'
import { RelativeTime } from '../../../../lib/components/relative-time.tsx'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { classNames } from '../../../../ui/class-names.ts'

/** Fetch time of a source, and a note when it couldn't be reached since. */
export function SourceAge({ fetchedAt, isStale }: { fetchedAt: string; isStale: boolean }) {
  const text = useText('agents')
  return (
    <p
      className={classNames(
        'flex flex-wrap items-center gap-1.5 text-12',
        isStale ? 'text-warning-text' : 'text-muted',
      )}
    >
      {isStale && <CloudOff aria-hidden className="size-3.5 shrink-0" />}
      {text.rich(isStale ? 'source.stale' : 'source.fresh', { age: () => <RelativeTime moment={fetchedAt} /> })}
    </p>
  )
}
