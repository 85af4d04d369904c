import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { FileInput, PackageOpen } from 'lucide-react'
import { useState } from 'react'
import { useUserEvents } from '../../lib/event-stream.ts'
import { useText } from '../../lib/i18n.ts'
import { ListCard } from '../../lib/list-card.tsx'
import { importsKey, importsQuery } from './import-queries.ts'
import { ImportRow } from './import-row.tsx'
import { NewImportDialog } from './new-import-dialog.tsx'

/** The user's imports from other programs: preview a file, import it, see the result, undo it. */
export function ImportsCard() {
  const text = useText('imports')
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
    <>
      <ListCard
        title={text('title')}
        description={text('subtitle')}
        add={{
          icon: <FileInput aria-hidden />,
          children: text('choose'),
          onClick: () => {
            setOpening(opening + 1)
            setIsOpen(true)
          },
        }}
        query={query}
        items={all}
        empty={{ icon: <PackageOpen />, title: text('empty'), text: text('emptyHint') }}
      >
        {(one) => <ImportRow key={one.id} brought={one} />}
      </ListCard>
      <NewImportDialog key={opening} open={isOpen} onOpenChange={setIsOpen} />
    </>
  )
}
