import { InlineError } from '../../ui/inline-error.tsx'
import { useText } from '../i18n/i18n.ts'

/** "Could not load" with a way to try again, in the place of what a query would have brought. */
export function LoadFailed({ query, className }: LoadFailedProps) {
  const text = useText('app')
  return (
    <InlineError
      text={text('common.loadFailed')}
      retryLabel={text('common.retry')}
      retrying={query.isFetching}
      onRetry={() => void query.refetch()}
      className={className}
    />
  )
}

export type LoadFailedProps = {
  /** Result of `useQuery`. */
  query: { isFetching: boolean; refetch: () => Promise<unknown> }
  className?: string
}
