import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { Card, CardHeader, type CardHeaderProps } from '../../ui/card.tsx'
import { EmptyState, type EmptyStateProps } from '../../ui/empty-state.tsx'
import { InlineError } from '../../ui/inline-error.tsx'
import { LoadMore, type LoadMoreProps } from '../../ui/load-more.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { useText } from '../i18n/i18n.ts'

/** Error message with a retry button, in place of a query's data. */
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

/** Button that loads the next page of a list, or retries after a failure; null after the last page. */
export function NextPage({ query, label, status, className }: NextPageProps) {
  const text = useText('app')
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  if (!hasNextPage) return null
  if (isFetchNextPageError)
    return <LoadFailed query={{ isFetching: isFetchingNextPage, refetch: fetchNextPage }} className={className} />
  return (
    <LoadMore
      label={label ?? text('common.loadMore')}
      loading={isFetchingNextPage}
      onLoadMore={() => void fetchNextPage()}
      status={status}
      className={className}
    />
  )
}

type NextPageProps = Pick<LoadMoreProps, 'status' | 'className'> & {
  /** Result of `useInfiniteQuery`. */
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    fetchNextPage: () => Promise<unknown>
  }
  /** "Load more" when left out. */
  label?: string
}

/** List of a card in each of its states: loading, failed, empty, or loaded with a button for the next page. */
export function QueryList<Item>({ query, items, label, loading, empty, children }: QueryListProps<Item>) {
  const text = useText('app')
  return (
    <>
      {query.isPending && (
        <LoadingRegion label={text('common.loading')}>{loading ?? <Skeleton className="h-12" />}</LoadingRegion>
      )}
      {query.isLoadingError && <LoadFailed query={query} />}
      {items?.length === 0 && empty && <EmptyState level={3} className="-my-4" {...empty} />}
      {items && items.length > 0 && (
        <ul aria-label={label} className="-my-3 divide-y divide-border">
          {items.map(children)}
        </ul>
      )}
      {'fetchNextPage' in query && <NextPage query={query} className="mt-4" />}
    </>
  )
}

type QueryListProps<Item> = {
  /** Result of `useQuery` or `useInfiniteQuery`. */
  query: LoadFailedProps['query'] & { isPending: boolean; isLoadingError: boolean } & (object | NextPageProps['query'])
  /** Items of all loaded pages; undefined before the first page. */
  items: readonly Item[] | undefined
  /** Accessible name of the list. */
  label: string
  /** Placeholder while the items are loading. */
  loading?: ReactNode
  /** Undefined if the caller shows its own message for an empty list. */
  empty: Pick<EmptyStateProps, 'icon' | 'title' | 'text'> | undefined
  children: (item: Item) => ReactNode
}

/** Card with a list and a button to add to it. */
export function ListCard<Item>({ id, title, description, level, add, ...list }: ListCardProps<Item>) {
  return (
    <Card id={id} className={id && 'scroll-mt-32'}>
      <CardHeader title={title} description={description} level={level} actions={<Button size="sm" {...add} />} />
      <QueryList label={title} {...list} />
    </Card>
  )
}

type ListCardProps<Item> = Omit<QueryListProps<Item>, 'label'> &
  Pick<CardHeaderProps, 'description' | 'level'> & {
    /** Anchor for links to the card. */
    id?: string
    title: string
    add: Pick<ButtonProps, 'icon' | 'children' | 'onClick'>
  }
