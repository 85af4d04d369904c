import type { MediaItemJson, MediaType } from '@mira/shared'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DebouncedSearchField } from '../../ui/debounced-search-field.tsx'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { MediaTile, MediaTiles, MediaTilesSkeleton } from '../../ui/media-tiles.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { fetchLibrary } from '../api/library.ts'
import { clock } from '../format/format.ts'
import { useText } from '../i18n/i18n.ts'
import { LoadFailed, NextPage } from './query-list.tsx'

const PAGE_SIZE = 24

/** Picker for the user's items in a dialog, with a search and a tab for each kind. Loads items only while `isOpen`. */
export function LibraryBrowser<Kind extends MediaType | 'all'>({
  kinds,
  texts,
  isOpen,
  isChosen,
  isDisabled,
  onPick,
}: LibraryBrowserProps<Kind>) {
  const common = useText('app')
  const [kind, setKind] = useState(kinds[0].value)
  const [query, setQuery] = useState('')
  return (
    <div className="min-h-[50dvh]">
      <DebouncedSearchField
        data-autofocus=""
        label={texts.search}
        placeholder={texts.search}
        clearLabel={common('common.clearSearch')}
        query={query}
        onQueryChange={setQuery}
        className="mb-3"
      />
      <Tabs
        label={texts.kinds}
        tabs={kinds.map(({ value, label }) => ({
          value,
          label,
          ...(value === 'all' ? {} : { icon: <MediaIcon type={value} /> }),
        }))}
        value={kind}
        onValueChange={setKind}
      >
        {kinds.map(({ value, empty }) => (
          <TabPanel key={value} value={value}>
            {value === kind && (
              <Items
                kind={value}
                query={query}
                emptyText={query === '' ? empty : texts.noneFound}
                isOpen={isOpen}
                isChosen={isChosen}
                isDisabled={isDisabled}
                onPick={onPick}
              />
            )}
          </TabPanel>
        ))}
      </Tabs>
    </div>
  )
}

function Items({ kind, query, emptyText, isOpen, isChosen, isDisabled, onPick }: ItemsProps) {
  const common = useText('app')
  const library = useInfiniteQuery({
    queryKey: ['library-browser', kind, query],
    queryFn: ({ pageParam, signal }) => {
      const filters = { ...(kind === 'all' ? {} : { media_type: kind }), ...(query === '' ? {} : { query }) }
      return fetchLibrary({ limit: PAGE_SIZE, cursor: pageParam, ...filters }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: isOpen,
  })
  if (library.isLoadingError) return <LoadFailed query={library} className="py-6" />
  if (!library.data) return <MediaTilesSkeleton label={common('common.loading')} />
  const items = library.data.pages.flatMap((page) => page.media_items)
  if (items.length === 0) return <p className="py-10 text-center text-14 text-muted">{emptyText}</p>
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
            isChosen={isChosen?.(item.id)}
            isDisabled={isDisabled?.(item.id)}
            onPick={() => onPick(item)}
          />
        ))}
      </MediaTiles>
      <NextPage query={library} className="mt-4" />
    </>
  )
}

type KindChoice<Kind> = {
  value: Kind
  label: string
  /** Shown when there's nothing of this kind. */
  empty: string
}

type LibraryBrowserProps<Kind extends MediaType | 'all'> = PickerProps & {
  /** The first one is shown initially. */
  kinds: readonly [KindChoice<Kind>, ...KindChoice<Kind>[]]
  texts: { search: string; kinds: string; noneFound: string }
}

type PickerProps = {
  isOpen: boolean
  /** Passed where several items can be chosen. */
  isChosen?: (id: string) => boolean
  isDisabled?: (id: string) => boolean
  onPick: (item: MediaItemJson) => void
}
type ItemsProps = PickerProps & { kind: MediaType | 'all'; query: string; emptyText: string }
