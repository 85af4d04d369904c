import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { FileInput, PackageOpen } from 'lucide-react'
import { useState } from 'react'
import { useUserEvents } from '../../lib/events.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { importsKey, importsQuery } from './import-queries.ts'
import { ImportRow } from './import-row.tsx'
import { NewImportDialog } from './new-import-dialog.tsx'

/** What the signed-in person brings from other programs: count a file, bring it, see how it went, undo it. */
export function ImportsCard() {
  const text = useText('imports')
  const appText = useText('app')
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(importsQuery)
  const [opening, setOpening] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const all = query.data?.pages.flatMap(({ imports }) => imports)

  useUserEvents(({ type }) => {
    if (type === 'import.progress' || type === 'events.resumed')
      void queryClient.invalidateQueries({ queryKey: importsKey })
  })

  return (
    <Card>
      <CardHeader
        title={text('title')}
        description={text('subtitle')}
        actions={
          <Button
            size="sm"
            icon={<FileInput aria-hidden />}
            onClick={() => {
              setOpening(opening + 1)
              setIsOpen(true)
            }}
          >
            {text('choose')}
          </Button>
        }
      />
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-12" />
        </LoadingRegion>
      )}
      {query.isError && <LoadFailed query={query} />}
      {all?.length === 0 && (
        <EmptyState level={3} icon={<PackageOpen />} title={text('empty')} text={text('emptyHint')} className="-my-4" />
      )}
      {all && all.length > 0 && (
        <ul aria-label={text('title')} className="-my-3 divide-y divide-border">
          {all.map((one) => (
            <ImportRow key={one.id} brought={one} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <LoadMore
          className="mt-4"
          label={appText('common.loadMore')}
          loading={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
      <NewImportDialog key={opening} open={isOpen} onOpenChange={setIsOpen} />
    </Card>
  )
}
