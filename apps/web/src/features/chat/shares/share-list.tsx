import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { ExternalLink, Link2Off } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'

const PAGE_SIZE = 20

/** Prefix of the query keys of all lists of links. */
export const sharesKey = ['shares']

/** The user's links, or those of one conversation, page by page. */
const sharesQuery = (subjectId?: string) =>
  infiniteQueryOptions({
    queryKey: [...sharesKey, subjectId ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /shares', { signal, query: { limit: PAGE_SIZE, cursor: pageParam, subject_id: subjectId } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** The user's links, or those of one conversation, each to copy, open or revoke. */
export function ShareList({ subjectId, label }: { subjectId?: string; label: string }) {
  const text = useText('shares')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(sharesQuery(subjectId))
  const revoke = useMutation({
    mutationFn: (id: string) => call('DELETE /shares/:id', { params: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sharesKey }),
    onSuccess: () => showToast({ tone: 'success', title: text('revoked') }),
    onError: (error) => {
      console.error('The link could not be revoked', error)
      showToast({ tone: 'danger', title: text('revokeFailed'), description: errorText(error) })
    },
  })
  const all = query.data?.pages.flatMap(({ shares }) => shares)
  return (
    <>
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-10" />
        </LoadingRegion>
      )}
      {query.isLoadingError && <LoadFailed query={query} />}
      {all?.length === 0 && <p className="text-13 text-muted">{text(subjectId ? 'noneOfThis' : 'none')}</p>}
      {all && all.length > 0 && (
        <ul aria-label={label} className="divide-y divide-border">
          {all.map(({ id, title, url, created_at: createdAt, expires_at: expiresAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
              <div className="min-w-40 flex-1">
                <p className="truncate text-14 font-medium">{title}</p>
                <p className="text-13 text-muted">
                  <RelativeTime moment={createdAt} /> ·{' '}
                  {expiresAt === null ? text('noEnd') : text('until', { time: format.dateTime(expiresAt) })}
                </p>
              </div>
              <div className="flex items-center gap-1">
                <CopyButton
                  text={new URL(url, window.location.origin).href}
                  label={text('copyOne', { title })}
                  copiedLabel={text('copied')}
                />
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={text('openOne', { title })}
                  className="grid size-8 touch-target place-items-center rounded-control text-muted shade-on-hover hover:text-text"
                >
                  <ExternalLink aria-hidden className="size-4" />
                </a>
                <Button
                  size="sm"
                  variant="ghost"
                  icon={<Link2Off aria-hidden />}
                  aria-label={text('revokeOne', { title })}
                  loading={revoke.isPending && revoke.variables === id}
                  onClick={() => revoke.mutate(id)}
                >
                  {text('revoke')}
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <NextPage query={query} className="mt-4" />
    </>
  )
}

/** Card with all links that the user has shared. */
export function SharesCard() {
  const text = useText('shares')
  return (
    <Card>
      <CardHeader title={text('title')} description={text('subtitle')} />
      <ShareList label={text('title')} />
    </Card>
  )
}
