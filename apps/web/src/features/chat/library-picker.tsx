import type { AttachedMedia, MediaItemJson, MediaType } from '@mira/shared'
import { can } from '@mira/shared/access'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Paperclip } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { fetchLibrary } from '../../api/media.ts'
import { clock } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useUser } from '../../lib/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { MediaTile, MediaTiles, MediaTilesSkeleton } from '../../ui/media-tiles.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { MESSAGE_MAX_MEDIA } from './limits.ts'

const PAGE_SIZE = 24
const kinds = ['all', 'image', 'video', 'audio', 'document'] as const
type Kind = (typeof kinds)[number]

/** An item as it goes with a message. */
export function attachedOf({ id, media_type, thumbnail, metadata }: MediaItemJson): AttachedMedia {
  return { media_id: id, title: metadata.original_filename, media_type, thumbnail, url: `/gallery/${id}` }
}

/** The button that opens the library to choose what a message is about; nothing for those who have none. */
export function LibraryPicker({ chosen, isBusy, onChoose }: LibraryPickerProps) {
  const text = useText('chat')
  const user = useUser()
  const [isOpen, setIsOpen] = useState(false)
  if (!can(user, 'upload')) return null
  return (
    <>
      <IconButton
        name={text('attach.button')}
        icon={<Paperclip aria-hidden />}
        disabled={isBusy}
        onClick={() => setIsOpen(true)}
      />
      <Picker
        // what was marked and not attached is forgotten
        key={String(isOpen)}
        isOpen={isOpen}
        taken={chosen.length}
        takenIds={new Set(chosen.map(({ media_id }) => media_id))}
        onClose={() => setIsOpen(false)}
        onChoose={onChoose}
      />
    </>
  )
}

function Picker({ isOpen, taken, takenIds, onClose, onChoose }: PickerProps) {
  const text = useText('chat')
  const common = useText('app')
  const [kind, setKind] = useState<Kind>('all')
  const [words, setWords] = useState('')
  const [marked, setMarked] = useState<ReadonlyMap<string, AttachedMedia>>(new Map())
  const deferred = useDeferredValue(words.trim())
  const room = MESSAGE_MAX_MEDIA - taken - marked.size

  const toggle = (item: MediaItemJson) => {
    const next = new Map(marked)
    if (!next.delete(item.id)) next.set(item.id, attachedOf(item))
    setMarked(next)
  }
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(isStillOpen) => !isStillOpen && onClose()}
      title={text('attach.title')}
      closeLabel={common('common.close')}
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>{common('common.cancel')}</Button>
          <Button
            variant="primary"
            disabled={marked.size === 0}
            onClick={() => {
              onChoose([...marked.values()])
              onClose()
            }}
          >
            {text('attach.done', { count: marked.size })}
          </Button>
        </>
      }
    >
      <div className="min-h-[50dvh]">
        <SearchField
          data-autofocus=""
          label={text('attach.search')}
          placeholder={text('attach.search')}
          clearLabel={common('common.clearSearch')}
          value={words}
          onValueChange={setWords}
          className="mb-3"
        />
        <Tabs
          label={text('attach.kinds.label')}
          tabs={kinds.map((value) => ({
            value,
            label: text(`attach.kinds.${value}`),
            ...(value === 'all' ? {} : { icon: <MediaIcon type={value} /> }),
          }))}
          value={kind}
          onValueChange={setKind}
        >
          {kinds.map((value) => (
            <TabPanel key={value} value={value}>
              {value === kind && (
                <ItemList
                  type={value === 'all' ? undefined : value}
                  words={deferred}
                  isOpen={isOpen}
                  isChosen={(id) => marked.has(id) || takenIds.has(id)}
                  isDisabled={(id) => takenIds.has(id) || (room <= 0 && !marked.has(id))}
                  onToggle={toggle}
                />
              )}
            </TabPanel>
          ))}
        </Tabs>
      </div>
    </Dialog>
  )
}

function ItemList({ type, words, isOpen, isChosen, isDisabled, onToggle }: ItemListProps) {
  const text = useText('chat')
  const common = useText('app')
  const library = useInfiniteQuery({
    queryKey: ['chat', 'library', type ?? 'all', words],
    queryFn: ({ pageParam, signal }) =>
      fetchLibrary({ limit: PAGE_SIZE, cursor: pageParam, media_type: type, query: words || undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: isOpen,
  })
  if (library.isError && !library.data) return <LoadFailed query={library} className="py-6" />
  if (!library.data) return <MediaTilesSkeleton label={common('common.loading')} />
  const items = library.data.pages.flatMap((page) => page.media_items)
  if (items.length === 0) {
    return (
      <p className="py-10 text-center text-14 text-muted">{text(words === '' ? 'attach.empty' : 'attach.noneFound')}</p>
    )
  }
  return (
    <>
      <MediaTiles>
        {items.map((item) => (
          <MediaTile
            key={item.id}
            name={item.metadata.original_filename}
            src={item.thumbnail}
            hash={item.thumbhash}
            type={item.media_type}
            corner={item.duration === null ? null : clock(item.duration)}
            isChosen={isChosen(item.id)}
            isDisabled={isDisabled(item.id)}
            onPick={() => onToggle(item)}
          />
        ))}
      </MediaTiles>
      {library.hasNextPage && (
        <LoadMore
          className="mt-4"
          label={common('common.loadMore')}
          loading={library.isFetchingNextPage}
          onLoadMore={() => void library.fetchNextPage()}
        />
      )}
    </>
  )
}

type LibraryPickerProps = {
  chosen: readonly AttachedMedia[]
  isBusy: boolean
  onChoose: (items: AttachedMedia[]) => void
}
type PickerProps = {
  isOpen: boolean
  /** How many items go with the message already. */
  taken: number
  takenIds: ReadonlySet<string | null>
  onClose: () => void
  onChoose: (items: AttachedMedia[]) => void
}
type ItemListProps = {
  type: MediaType | undefined
  words: string
  isOpen: boolean
  isChosen: (id: string) => boolean
  isDisabled: (id: string) => boolean
  onToggle: (item: MediaItemJson) => void
}
