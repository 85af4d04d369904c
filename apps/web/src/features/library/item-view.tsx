import type { MediaDetailJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import {
  ArrowLeft,
  ChevronLeft,
  ChevronRight,
  Download,
  FileX,
  MessageCircleQuestion,
  NotebookPen,
  Sparkles,
  Trash2,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { ApiError } from '../../lib/api/client.ts'
import { useShortcut } from '../../lib/browser/keyboard.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { attachPath, notePath } from '../../lib/session/paths.ts'
import { useUser } from '../../lib/session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useCurrentIfMounted } from '../../ui/use-close-if-mounted.ts'
import { ItemBody } from './item-body.tsx'
import { ItemSkeleton } from './item-face.tsx'
import { type ItemLocation, readItemLocation } from './item-location.ts'
import { isNote, useDeletion, useItem } from './use-item.ts'

/** An item of the library, at the location in the page's address, with all its information. */
export function ItemView({ id, previousId, nextId, onGoTo, onClose }: ItemViewProps) {
  const text = useText('gallery')
  const user = useUser()
  const query = useItem(id)
  const askAndDelete = useDeletion()
  const heading = useRef<HTMLHeadingElement>(null)
  const shownId = useCurrentIfMounted(id)
  const item = query.data
  const [parameters] = useSearchParams()
  const location = readItemLocation(parameters)

  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const group = text('view.shortcuts')
  useShortcut({ key: 'Escape', label: text('view.back'), group, onPress: onClose })
  useShortcut({
    key: 'ArrowLeft',
    label: text('view.previous'),
    group,
    isEnabled: previousId !== null,
    onPress: () => previousId !== null && onGoTo(previousId),
  })
  useShortcut({
    key: 'ArrowRight',
    label: text('view.next'),
    group,
    isEnabled: nextId !== null,
    onPress: () => nextId !== null && onGoTo(nextId),
  })

  const remove = async () => {
    if (!item || !(await askAndDelete([{ id, name: item.metadata.original_filename }]))) return
    // the user may have moved on to another item while this one was being deleted
    if (shownId.current !== id) return
    const followingId = nextId ?? previousId
    if (followingId === null) onClose()
    else onGoTo(followingId)
  }
  useShortcut({ key: 'Delete', label: text('view.delete'), group, isEnabled: !!item, onPress: () => void remove() })

  const swipe = (direction: 1 | -1) => {
    const neighbourId = direction === 1 ? nextId : previousId
    if (neighbourId !== null) onGoTo(neighbourId)
  }

  const isGone = query.error instanceof ApiError && query.error.status === 404
  return (
    <div className="@container absolute inset-0 z-10">
      <div className="flex h-full flex-col overflow-y-auto bg-surface @4xl:overflow-hidden">
        <header className="sticky top-0 z-10 flex shrink-0 flex-wrap items-center gap-x-1 border-b border-border bg-surface-raised px-2 py-1.5 sm:px-4">
          <IconButton
            name={text('view.back')}
            tooltipSide="bottom"
            icon={<ArrowLeft aria-hidden />}
            className="max-sm:mr-auto"
            onClick={onClose}
          />
          <h1
            ref={heading}
            tabIndex={-1}
            title={item?.metadata.original_filename}
            // on a phone it's below the buttons, where gallery-page.tsx reserves the line while loading
            className="min-w-0 truncate px-1 text-16 font-semibold outline-none max-sm:order-last max-sm:w-full max-sm:px-2 max-sm:pb-1 sm:mr-auto sm:flex-1"
          >
            {item?.metadata.original_filename ?? text('view.item')}
          </h1>
          <IconButton
            name={text('view.previous')}
            tooltipSide="bottom"
            icon={<ChevronLeft aria-hidden />}
            disabled={previousId === null}
            onClick={() => previousId !== null && onGoTo(previousId)}
          />
          <IconButton
            name={text('view.next')}
            tooltipSide="bottom"
            icon={<ChevronRight aria-hidden />}
            disabled={nextId === null}
            onClick={() => nextId !== null && onGoTo(nextId)}
          />
          {item && (
            <>
              {can(user, 'chat') && (
                <Link
                  to={attachPath([item.id])}
                  aria-label={text('view.ask')}
                  title={text('view.ask')}
                  className={buttonClass({ variant: 'ghost', className: 'px-2.5 text-muted' })}
                >
                  <MessageCircleQuestion aria-hidden />
                  <span className="hidden md:inline">{text('view.ask')}</span>
                </Link>
              )}
              {isNote(item) && (
                <Link
                  to={notePath(item.id)}
                  aria-label={text('note.edit')}
                  title={text('note.edit')}
                  className={buttonClass({ variant: 'ghost', className: 'px-2.5 text-muted' })}
                >
                  <NotebookPen aria-hidden />
                  <span className="hidden md:inline">{text('note.edit')}</span>
                </Link>
              )}
              {canHaveEffects(item) && (
                <Link
                  to={effectsPath(item, location)}
                  aria-label={text('view.effects')}
                  title={text('view.effects')}
                  className={buttonClass({ variant: 'ghost', className: 'px-2.5 text-muted' })}
                >
                  <Sparkles aria-hidden />
                  <span className="hidden md:inline">{text('view.effects')}</span>
                </Link>
              )}
              <a
                href={item.url}
                download={item.metadata.original_filename}
                aria-label={text('view.download')}
                title={text('view.download')}
                className={buttonClass({ variant: 'ghost', className: 'px-2.5 text-muted' })}
              >
                <Download aria-hidden />
                <span className="hidden sm:inline">{text('view.download')}</span>
              </a>
              <IconButton
                name={text('view.delete')}
                variant="danger"
                tooltipSide="bottom"
                icon={<Trash2 aria-hidden />}
                onClick={() => void remove()}
              />
            </>
          )}
        </header>
        {query.isPending && <ItemSkeleton />}
        {query.isLoadingError && !isGone && <LoadFailed query={query} className="p-6" />}
        {isGone && (
          <EmptyState
            icon={<FileX />}
            title={text('view.goneTitle')}
            text={text('view.gone')}
            action={<Button onClick={onClose}>{text('view.back')}</Button>}
            className="my-auto"
          />
        )}
        {item && !isGone && (
          // the body goes to a location only when it's mounted, so each location has its own key
          <ItemBody key={JSON.stringify([id, location])} item={item} location={location} onSwipe={swipe} />
        )}
      </div>
    </div>
  )
}

function canHaveEffects({ media_type: type, frames }: MediaDetailJson): boolean {
  return type === 'image' || (type === 'video' && frames.length > 0)
}

/** Path of the studio with this image, or with the video frame given by the location (the first frame without one). */
function effectsPath({ id, media_type: type }: MediaDetailJson, { frame }: ItemLocation): string {
  const query = new URLSearchParams({ media: id })
  if (type === 'video') query.set('frame', String(frame ?? 1))
  return `/effects?${query}`
}

type ItemViewProps = {
  id: string
  /** Neighbours of the item in the list; null at the ends of the list, or until they're known. */
  previousId: string | null
  nextId: string | null
  onGoTo: (id: string) => void
  onClose: () => void
}
