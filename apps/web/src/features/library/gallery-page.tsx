import { useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router-dom'
import { useShortcut } from '../../lib/browser/keyboard.ts'
import { useTitle } from '../../lib/browser/page-meta.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { paths } from '../../lib/session/paths.ts'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { isMissingPart, loadAhead } from '../../ui/lazy-part.tsx'
import { ItemSkeleton } from './item-face.tsx'
import { itemQuery, useLibraryFilters, writeFilters } from './library-queries.ts'
import { useLibrary } from './use-library.ts'

/** Covers the list until the item view's code is loaded; its back button is already in the final position. */
function ItemLoading({ onClose }: { onClose: () => void }) {
  const text = useText('gallery')
  useShortcut({ key: 'Escape', label: text('view.back'), group: text('view.shortcuts'), onPress: onClose })
  return (
    <div className="absolute inset-0 z-10 flex flex-col bg-surface">
      <header className="flex shrink-0 flex-wrap items-center gap-x-1 border-b border-border bg-surface-raised px-2 py-1.5 sm:px-4">
        <IconButton name={text('view.back')} tooltipSide="bottom" icon={<ArrowLeft aria-hidden />} onClick={onClose} />
        {/* on a phone the name is below the buttons */}
        <span className="h-7 w-full sm:hidden" />
      </header>
      <ItemSkeleton />
    </div>
  )
}

// Loaded separately: a link to one item doesn't need the code of the list, and the list doesn't need that of the item view.
const loadLibraryView = () => import('./library-view.tsx')
const LibraryView = lazy(() => loadLibraryView().then((module) => ({ default: module.LibraryView })))
const loadItemView = () => import('./item-view.tsx')
const ItemView = lazy(() => loadItemView().then((module) => ({ default: module.ItemView })))

/** /gallery, "Media Gallery", and /gallery/:id, an item over the list, which keeps its scroll position. */
export function GalleryPage() {
  const titles = useText('app')
  const { id = null } = useParams()
  const location = useLocation()
  const navigate = useNavigate()
  const [filters, changeFilters] = useLibraryFilters()
  const library = useLibrary(filters)
  const open = useQuery({ ...itemQuery(id ?? ''), enabled: id !== null })
  useTitle((id !== null && open.data?.metadata.original_filename) || titles('titles.gallery'))

  // Opening a link to one item shouldn't load the pictures of all the others.
  const [isListNeeded, setIsListNeeded] = useState(id === null)
  if (id === null && !isListNeeded) setIsListNeeded(true)
  useEffect(() => loadAhead(isListNeeded ? loadItemView : loadLibraryView), [isListNeeded])
  const [lastOpenId, setLastOpenId] = useState(id)
  if (id !== null && lastOpenId !== id) setLastOpenId(id)

  const query = writeFilters(filters).toString()
  const addressOf = useCallback((itemId: string) => `${paths.gallery}/${itemId}${query && `?${query}`}`, [query])
  const cameFromList = (location.state as { fromList?: boolean } | null)?.fromList === true
  const close = useCallback(() => {
    if (cameFromList) void navigate(-1)
    else void navigate(`${paths.gallery}${query && `?${query}`}`, { replace: true })
  }, [cameFromList, navigate, query])

  const index = useMemo(() => library.items.findIndex((item) => item.id === id), [library.items, id])
  const previousId = index > 0 ? (library.items[index - 1]?.id ?? null) : null
  const nextId = index >= 0 ? (library.items[index + 1]?.id ?? null) : null
  const { onNearEnd } = library
  useEffect(() => {
    if (index >= 0 && nextId === null) onNearEnd()
  }, [index, nextId, onNearEnd])
  const goTo = (itemId: string) => navigate(addressOf(itemId), { replace: true, state: location.state })

  return (
    <div className="relative min-h-0 flex-1">
      {isListNeeded && (
        <LibraryView
          library={library}
          filters={filters}
          onChangeFilters={changeFilters}
          addressOf={addressOf}
          isCovered={id !== null}
          returnTo={id === null ? lastOpenId : null}
        />
      )}
      {id !== null && (
        // when the code can't be loaded, the list is shown again with a notice
        <ErrorBoundary key={id} handles={isMissingPart} onError={close}>
          <Suspense fallback={<ItemLoading onClose={close} />}>
            <ItemView id={id} previousId={previousId} nextId={nextId} onGoTo={goTo} onClose={close} />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  )
}
