import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { Card, CardHeader, type CardHeaderProps } from '../../ui/card.tsx'
import { EmptyState, type EmptyStateProps } from '../../ui/empty-state.tsx'
import { InlineError } from '../../ui/inline-error.tsx'
import { LoadMore, type LoadMoreProps } from '../../ui/load-more.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
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

/** The way to the next page of a list, and to try it again where that failed; nothing after the last page. */
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

/** The list of a card, in each of its states: being loaded, not to be had, empty, and with a way to its next page. */
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
  /** Stands in their place while they are loaded. */
  loading?: ReactNode
  /** Undefined where something else says that there are none. */
  empty: Pick<EmptyStateProps, 'icon' | 'title' | 'text'> | undefined
  children: (item: Item) => ReactNode
}

/** A card that is a list, with a button that adds to it. */
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
    /** By which a link leads to it. */
    id?: string
    title: string
    add: Pick<ButtonProps, 'icon' | 'children' | 'onClick'>
  }
