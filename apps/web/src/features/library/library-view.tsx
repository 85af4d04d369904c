import { ImageOff, RefreshCw, SearchX, Upload } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { paths } from '../../lib/session/paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { loadAhead } from '../../ui/lazy-part.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useIsPainted } from '../../ui/use-is-painted.ts'
import { LibraryHeader, ReprocessingProgress } from './library-header.tsx'
import { emptySelection, extendTo, type ItemSelection, keepListed, selectAll, toggle } from './library-items.ts'
import { clearedFilters, isFiltered, type LibraryFilters } from './library-queries.ts'
import { LibraryTools } from './library-tools.tsx'
import { MediaGrid, usePageKeys } from './media-grid.tsx'
import { loadSelectionTools, SelectionBar } from './selection-bar.tsx'
import { useDeletion } from './use-item.ts'
import type { useLibrary } from './use-library.ts'

/** The library: header, toolbar, grid, and actions for selected items. */
export function LibraryView({ library, filters, onChangeFilters, addressOf, isCovered, returnTo }: LibraryViewProps) {
  const text = useText('gallery')
  const common = useText('app')
  const navigate = useNavigate()
  const askAndDelete = useDeletion()
  const scroller = useRef<HTMLDivElement>(null)
  const [storedSelection, setSelection] = useState<ItemSelection>(emptySelection)
  const { items, query } = library
  // on a slow connection, other requests would delay the first pictures
  const isListed = useIsPainted(!query.isPending)
  useEffect(() => loadAhead(loadSelectionTools), [])
  const selection = useMemo(() => keepListed(storedSelection, items), [storedSelection, items])
  const selectedItems = useMemo(() => items.filter(({ id }) => selection.ids.has(id)), [items, selection])

  // Cards get the same functions on each render, so these functions read the latest values when they're called.
  const latest = useRef({ items, selection, addressOf })
  useLayoutEffect(() => {
    latest.current = { items, selection, addressOf }
  })
  const actions = useMemo(() => {
    const choose = (id: string, isRange: boolean) =>
      setSelection(
        isRange ? extendTo(latest.current.selection, id, latest.current.items) : toggle(latest.current.selection, id),
      )
    return {
      onToggle: choose,
      onPress: (id: string, event: React.MouseEvent) => {
        // Lets the browser open another tab or window, as for any link.
        if (event.metaKey || event.ctrlKey || event.altKey) return
        event.preventDefault()
        const isByPointer = event.detail > 0
        if (isByPointer && (event.shiftKey || latest.current.selection.ids.size > 0)) choose(id, event.shiftKey)
        else void navigate(latest.current.addressOf(id), { state: { fromList: true } })
      },
    }
  }, [navigate])
  const tileActions = useMemo(
    () => ({ ...actions, onPictureFailed: library.onPictureFailed }),
    [actions, library.onPictureFailed],
  )

  const deleteItems = async (itemsToDelete: typeof selectedItems) => {
    if (await askAndDelete(itemsToDelete)) setSelection(emptySelection)
  }
  usePageKeys(!isCovered, (event) => {
    const focusedId = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.mediaId : undefined
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a' && items.length > 0) {
      event.preventDefault()
      setSelection(selectAll(items, selection))
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape' && selection.ids.size > 0) setSelection(emptySelection)
    else if (event.key === ' ' && focusedId !== undefined) actions.onToggle(focusedId, event.shiftKey)
    else if (event.key === 'Delete') {
      const focused = items.find(({ id }) => id === focusedId)
      void deleteItems(selectedItems.length > 0 ? selectedItems : focused ? [focused] : [])
    } else return
    event.preventDefault()
  })

  const isEmpty = query.data !== undefined && items.length === 0 && !query.hasNextPage
  return (
    <>
      <div
        ref={scroller}
        inert={isCovered}
        className={classNames('relative h-full overflow-y-auto', isCovered && 'invisible')}
      >
        <div
          className={classNames(
            'mx-auto w-full max-w-page px-4 sm:px-6',
            selection.ids.size > 0 ? 'pb-40 sm:pb-28' : 'pb-8',
          )}
        >
          <LibraryHeader
            filters={filters}
            onChangeFilters={onChangeFilters}
            total={library.total}
            isListed={isListed}
          />
          <LibraryTools filters={filters} isListed={isListed} onChange={onChangeFilters} />
          <ReprocessingProgress isListed={isListed} />
          {library.isOutdated && (
            <div className="sticky top-16 z-20 mb-4 flex justify-center">
              <Button
                icon={<RefreshCw aria-hidden />}
                className="shadow-float"
                onClick={() => {
                  scroller.current?.scrollTo(0, 0)
                  library.refresh()
                }}
              >
                {text('grid.showNew')}
              </Button>
            </div>
          )}
          {query.isPending && <GridSkeleton label={common('common.loading')} />}
          {query.isLoadingError && <LoadFailed query={query} />}
          {isEmpty && <NothingFound filters={filters} onChangeFilters={onChangeFilters} />}
          {items.length > 0 && (
            <MediaGrid
              key={query.data === undefined ? 'none' : JSON.stringify(filters)}
              scroller={scroller}
              items={items}
              total={library.total}
              sort={filters.sort}
              addressOf={addressOf}
              selection={selection}
              actions={tileActions}
              onRange={(from, to) => {
                if (from === null || to === null) return
                const anchor = selection.ids.size > 0 && selection.anchor !== null ? selection.anchor : from
                setSelection(extendTo({ ids: selection.ids, anchor }, to, items))
              }}
              onNearEnd={library.onNearEnd}
              returnTo={returnTo}
            />
          )}
          {query.isFetchingNextPage && (
            <div className="flex justify-center py-6">
              <Spinner label={common('common.loading')} />
            </div>
          )}
          {query.isFetchNextPageError && (
            <LoadFailed query={{ isFetching: query.isFetching, refetch: query.fetchNextPage }} className="py-6" />
          )}
        </div>
      </div>
      {!isCovered && (
        <SelectionBar
          items={selectedItems}
          onClear={() => setSelection(emptySelection)}
          onDelete={() => void deleteItems(selectedItems)}
        />
      )}
    </>
  )
}

/** Explains why the list is empty, with an action. */
function NothingFound({ filters, onChangeFilters }: Pick<LibraryViewProps, 'filters' | 'onChangeFilters'>) {
  const text = useText('gallery')
  const uploadLink = (
    <Link to={paths.upload} className={buttonClass({ variant: 'primary' })}>
      <Upload aria-hidden />
      {text('upload')}
    </Link>
  )
  if (!isFiltered(filters)) {
    return (
      <EmptyState icon={<ImageOff />} title={text('empty.title')} text={text('empty.library')} action={uploadLink} />
    )
  }
  return (
    <EmptyState
      icon={<SearchX />}
      title={text('empty.title')}
      text={text('empty.filtered')}
      action={
        <>
          <Button onClick={() => onChangeFilters(clearedFilters)}>{text('empty.showAll')}</Button>
          {uploadLink}
        </>
      }
    />
  )
}

const skeletonWidths = [
  ['w-[31%]', 'w-[22%]', 'w-[47%]'],
  ['w-[40%]', 'w-[36%]', 'w-[24%]'],
]

/** Placeholder rows in the shape of the cards. */
function GridSkeleton({ label }: { label: string }) {
  return (
    <LoadingRegion label={label} className="flex flex-col gap-6">
      <Skeleton className="h-5 w-32" />
      {skeletonWidths.map((widths) => (
        <div key={widths.join()} className="flex gap-2 sm:gap-4">
          {widths.map((width) => (
            <div key={width} className={width}>
              <Skeleton className="h-37 rounded-card lg:h-52" />
              <Skeleton className="mt-3 h-3.5 w-3/4" />
            </div>
          ))}
        </div>
      ))}
    </LoadingRegion>
  )
}

type LibraryViewProps = {
  library: ReturnType<typeof useLibrary>
  filters: LibraryFilters
  onChangeFilters: (change: Partial<LibraryFilters>) => void
  addressOf: (id: string) => string
  /** True while an item is open over it. */
  isCovered: boolean
  /** The item that was open last. */
  returnTo: string | null
}
