import type { MediaItemJson } from '@mira/shared'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { clock } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { MediaTile, MediaTiles, MediaTilesSkeleton } from '../../ui/media-tiles.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { libraryQuery, sourceItemQuery } from './effects-queries.ts'

type Kind = 'image' | 'video'

/** Chooses a picture of the memory, or a frame of a film. */
export function LibraryDialog({ open, onOpenChange, onChoose }: LibraryDialogProps) {
  const text = useText('effects')
  const common = useText('app')
  const [kind, setKind] = useState<Kind>('image')
  const [words, setWords] = useState('')
  const [film, setFilm] = useState<MediaItemJson | null>(null)
  const deferred = useDeferredValue(words.trim())
  const list = (type: Kind) => (
    <ItemList
      type={type}
      words={deferred}
      isOpen={open}
      onPick={(item) => (type === 'image' ? onChoose(item.id, null) : setFilm(item))}
    />
  )
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => {
        if (!isOpen) setFilm(null)
        onOpenChange(isOpen)
      }}
      title={film ? text('library.frames', { name: film.metadata.original_filename }) : text('library.title')}
      closeLabel={common('common.close')}
      size="lg"
    >
      <div className="min-h-[50dvh]">
        {film ? (
          <FrameList film={film} onBack={() => setFilm(null)} onChoose={onChoose} />
        ) : (
          <>
            <SearchField
              data-autofocus=""
              label={text('library.search')}
              placeholder={text('library.search')}
              clearLabel={common('common.clearSearch')}
              value={words}
              onValueChange={setWords}
              className="mb-3"
            />
            <Tabs
              label={text('library.kinds')}
              tabs={[
                { value: 'image', label: text('library.images'), icon: <MediaIcon type="image" /> },
                { value: 'video', label: text('library.videos'), icon: <MediaIcon type="video" /> },
              ]}
              value={kind}
              onValueChange={setKind}
            >
              <TabPanel value="image">{list('image')}</TabPanel>
              <TabPanel value="video">{list('video')}</TabPanel>
            </Tabs>
          </>
        )}
      </div>
    </Dialog>
  )
}

function ItemList({ type, words, isOpen, onPick }: ItemListProps) {
  const text = useText('effects')
  const common = useText('app')
  const library = useInfiniteQuery({ ...libraryQuery(type, words), enabled: isOpen })
  if (library.isError && !library.data) return <LoadFailed query={library} className="py-6" />
  if (!library.data) return <MediaTilesSkeleton label={common('common.loading')} />
  const items = library.data.pages.flatMap((page) => page.media_items)
  if (items.length === 0) {
    return (
      <p className="py-10 text-center text-14 text-muted">
        {text(words === '' ? `library.empty.${type}` : 'library.noneFound')}
      </p>
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
            type={type}
            corner={item.duration === null ? null : clock(item.duration)}
            onPick={() => onPick(item)}
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

function FrameList({ film, onBack, onChoose }: FrameListProps) {
  const text = useText('effects')
  const common = useText('app')
  const detail = useQuery(sourceItemQuery(film.id))
  return (
    <>
      <Button size="sm" variant="ghost" className="mb-3 -ml-2" icon={<ArrowLeft aria-hidden />} onClick={onBack}>
        {text('library.back')}
      </Button>
      {detail.isError ? (
        <LoadFailed query={detail} className="py-6" />
      ) : !detail.data ? (
        <MediaTilesSkeleton label={common('common.loading')} />
      ) : detail.data.frames.length === 0 ? (
        <p className="py-10 text-center text-14 text-muted">{text('library.noFrames')}</p>
      ) : (
        <MediaTiles>
          {detail.data.frames.map(({ frame_number: number, timestamp_seconds: seconds, thumbnail }) => (
            <MediaTile
              key={number}
              name={text('library.frame', { number, time: clock(seconds) })}
              src={thumbnail}
              hash={null}
              type="video"
              corner={null}
              onPick={() => onChoose(film.id, number)}
            />
          ))}
        </MediaTiles>
      )}
    </>
  )
}

type LibraryDialogProps = {
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  onChoose: (mediaId: string, frameNumber: number | null) => void
}
type ItemListProps = { type: Kind; words: string; isOpen: boolean; onPick: (item: MediaItemJson) => void }
type FrameListProps = {
  film: MediaItemJson
  onBack: () => void
  onChoose: (mediaId: string, frameNumber: number) => void
}
