import { useQuery } from '@tanstack/react-query'
import { CircleDot, Clock, Loader, TriangleAlert } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { clock, useFormat } from '../../lib/format/format.ts'
import { type Text, useText } from '../../lib/i18n/i18n.ts'
import { useSettings } from '../../lib/session/settings.ts'
import { Badge } from '../../ui/badge.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { classNames } from '../../ui/class-names.ts'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import { measuresFor } from './grid-layout.ts'
import { ItemPicture } from './item-face.tsx'
import type { GridItem } from './library-items.ts'
import { itemQuery } from './library-queries.ts'

const PRESS_MS = 500
/** Movement in pixels beyond which a touch is a scroll rather than a press. */
const STILL_PIXELS = 10

/**
 * Event handlers for a long press, which suppress the click and context menu that follow. Some phones open the menu before
 * `PRESS_MS` has passed: that counts as a long press, too.
 */
export function useLongPress(onLongPress: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const start = useRef({ x: 0, y: 0 })
  const wasLong = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const stop = () => {
    clearTimeout(timer.current)
    timer.current = undefined
  }
  const press = () => {
    stop()
    wasLong.current = true
    navigator.vibrate?.(10)
    onLongPress()
  }
  return {
    onPointerDown: (event: React.PointerEvent) => {
      wasLong.current = false
      stop()
      if (event.pointerType !== 'touch' || !event.isPrimary) return
      start.current = { x: event.clientX, y: event.clientY }
      timer.current = setTimeout(press, PRESS_MS)
    },
    onPointerMove: (event: React.PointerEvent) => {
      if (Math.hypot(event.clientX - start.current.x, event.clientY - start.current.y) > STILL_PIXELS) stop()
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu: (event: React.MouseEvent) => {
      if (timer.current !== undefined) press()
      if (wasLong.current) event.preventDefault()
    },
    onClickCapture: (event: React.MouseEvent) => {
      if (!wasLong.current) return
      wasLong.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}

const MAX_FRAMES = 12
const FRAME_MS = 650

/** Slide show of a video's frames over its poster. The frames are fetched when it's mounted. */
function VideoPreview({ id }: { id: string }) {
  const { data } = useQuery({ ...itemQuery(id), staleTime: 5 * 60_000 })
  const [shownIndex, setShownIndex] = useState(0)
  const frames = data?.frames ?? []
  const count = Math.min(frames.length, MAX_FRAMES)

  useEffect(() => {
    if (count < 2) return
    const timer = setInterval(() => setShownIndex((current) => (current + 1) % count), FRAME_MS)
    return () => clearInterval(timer)
  }, [count])

  const frame = frames[Math.floor((shownIndex * frames.length) / Math.max(count, 1))]
  if (!frame) return null
  return (
    <>
      <img src={frame.thumbnail} alt="" className="absolute inset-0 size-full object-cover" />
      <span aria-hidden className="absolute inset-x-2 top-2 flex gap-0.5">
        {Array.from({ length: count }, (_, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the segments are alike and never move
            key={index}
            className={index <= shownIndex ? 'h-0.5 flex-1 bg-accent' : 'h-0.5 flex-1 bg-surface-overlay'}
          />
        ))}
      </span>
    </>
  )
}

/** Longest side in pixels of the server's two thumbnails. */
const SMALL = 384
const LARGE = 512

/**
 * `srcset` of both thumbnails, from which the browser chooses by the card's approximate width and the pixel density; undefined
 * without a thumbnail or a known ratio. before-first-paint.js must request the first thumbnails with the same values, or they'd
 * be loaded twice.
 */
function thumbnailSizes({ thumbnail, ratio }: GridItem): { srcSet: string; sizes: string } | undefined {
  if (thumbnail === null || ratio === null) return
  const widthOf = (longestSide: number) => Math.round(longestSide * Math.min(1, ratio))
  return {
    srcSet: `${thumbnail}&size=small ${widthOf(SMALL)}w, ${thumbnail} ${widthOf(LARGE)}w`,
    sizes: `${Math.round(measuresFor(window.innerWidth).pictureHeight * ratio)}px`,
  }
}

const PREVIEW_AFTER_MS = 250

/** Actions on a card; stable functions, so that only changed cards are rendered again. */
export interface TileActions {
  /** Called for a press on the card itself. */
  onPress: (id: string, event: React.MouseEvent) => void
  onToggle: (id: string, isRange: boolean) => void
  onFocus: (id: string) => void
  onPictureFailed: () => void
}

/** Card of an item with its picture, title, type and day. */
export const MediaTile = memo(function MediaTile({
  item,
  address,
  width,
  pictureHeight,
  isFirst,
  isSelected,
  isSelecting,
  isTabStop,
  actions,
}: MediaTileProps) {
  const text = useText('gallery')
  const format = useFormat()
  const isRange = useRef(false)
  const [isHovered, hoverHandlers] = useHover(item.type === 'video' && item.status === 'completed')
  // On the whole card: the checkbox that appears under a finger in the corner would otherwise be unchecked when the finger lifts.
  const press = useLongPress(() => actions.onToggle(item.id, false))
  const title = item.caption ?? item.name
  // The day comes last: the heading shows it already, and a narrow card has space for only one detail.
  const details = [
    item.snippet ?? (item.caption === null ? null : item.name),
    format.takenDay({ taken_local: item.takenLocal, timestamp: item.timestamp }),
  ]

  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtualised grid isn't a table
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it takes the focus
    <div role="gridcell" aria-selected={isSelected} className="group relative shrink-0" style={{ width }} {...press}>
      <Link
        to={address}
        data-media-id={item.id}
        tabIndex={isTabStop ? 0 : -1}
        draggable={false}
        onClick={(event) => actions.onPress(item.id, event)}
        onFocus={() => actions.onFocus(item.id)}
        {...hoverHandlers}
        className="block touch-callout-none rounded-card focus-visible:outline-offset-3"
      >
        <span
          className={classNames(
            'relative block overflow-hidden rounded-card bg-surface-sunken transition-shadow',
            isSelected ? 'ring-3 ring-accent' : 'ring-1 ring-border group-hover:ring-border-strong',
          )}
          style={{ height: pictureHeight }}
        >
          <ItemPicture
            item={item}
            sizes={thumbnailSizes(item)}
            loadPriority={isFirst ? 'first' : 'later'}
            hasCornerCheckbox
            onFailed={actions.onPictureFailed}
          />
          {isHovered && <VideoPreview id={item.id} />}
          <StatusBadge item={item} text={text} />
          {item.isLive && (
            <span className="absolute right-2 bottom-2 flex items-center gap-1 rounded-full bg-surface-overlay px-2 py-0.5 text-12 font-medium">
              <CircleDot aria-hidden className="size-3.5" />
              <span aria-hidden>{text('picture.live')}</span>
              <VisuallyHidden>{text('picture.isLive')}</VisuallyHidden>
            </span>
          )}
          {item.duration !== null && (
            <span className="absolute right-2 bottom-2 rounded-full bg-surface-overlay px-2 py-0.5 text-12 font-medium tabular-nums">
              {clock(item.duration)}
            </span>
          )}
        </span>
        <span className="mt-2 block truncate text-13 font-medium">{title}</span>
        <span className="flex items-center gap-1.5 text-12 text-muted">
          <MediaIcon type={item.type} className="size-3.5 shrink-0" />
          <VisuallyHidden>{text(`type.${item.type}`)}</VisuallyHidden>
          <span className="truncate">{details.filter((part) => part !== null).join(' · ')}</span>
        </span>
      </Link>
      <span
        className={classNames(
          'absolute top-0 left-0 flex rounded-card p-2 transition-opacity',
          // on touchscreens a long press selects: checkboxes would cover the small cards of a phone
          !isSelecting &&
            'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:pointer-events-none pointer-coarse:opacity-0!',
        )}
      >
        <Checkbox
          label={text('select', { name: item.name })}
          labelHidden
          tabIndex={-1}
          checked={isSelected}
          onClick={(event) => {
            isRange.current = event.shiftKey
          }}
          onCheckedChange={() => actions.onToggle(item.id, isRange.current)}
        />
      </span>
    </div>
  )
})

/** Badge of an item that's pending, processing or failed. */
function StatusBadge({ item, text }: { item: GridItem; text: Text<'gallery'> }) {
  if (item.status === 'completed') return null
  const badges = {
    pending: { tone: 'neutral', icon: <Clock aria-hidden />, label: text('status.pending') },
    processing: {
      tone: 'accent',
      icon: <Loader aria-hidden className="animate-spin" />,
      label: text('status.processing'),
    },
    failed: { tone: 'danger', icon: <TriangleAlert aria-hidden />, label: text('status.failed') },
  } as const
  const { tone, icon, label } = badges[item.status]
  return (
    <span className="absolute bottom-2 left-2 flex max-w-[calc(100%-1rem)] rounded-full bg-surface-overlay">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </span>
  )
}

/** True while a mouse hovers over the card, but never with data saver or reduced motion; and the handlers that track it. */
function useHover(isWanted: boolean) {
  const { dataSaver } = useSettings()
  const [isHovered, setIsHovered] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const isEnabled = isWanted && !dataSaver
  return [
    isEnabled && isHovered,
    {
      onPointerEnter: (event: React.PointerEvent) => {
        if (!isEnabled || event.pointerType !== 'mouse' || matchMedia('(prefers-reduced-motion: reduce)').matches)
          return
        timer.current = setTimeout(() => setIsHovered(true), PREVIEW_AFTER_MS)
      },
      onPointerLeave: () => {
        clearTimeout(timer.current)
        setIsHovered(false)
      },
    },
  ] as const
}

type MediaTileProps = {
  item: GridItem
  /** Link target. */
  address: string
  width: number
  pictureHeight: number
  /** True for the items that are visible at first. */
  isFirst: boolean
  isSelected: boolean
  /** True while something is selected; a click then selects the item instead of opening it. */
  isSelecting: boolean
  /** True for the one card that Tab reaches. */
  isTabStop: boolean
  actions: TileActions
}
