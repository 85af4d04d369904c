import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { ThumbhashImage } from '../../ui/thumbhash-image.tsx'

/** Virtualised content of `PictureStrip`; the arrow keys select a picture. */
export function PictureStripPanel({
  label,
  entries,
  current,
  width,
  height,
  gap,
  fit,
  fallback,
  onSelect,
}: PictureStripPanelProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const focusIndex = useRef<number | null>(null)
  const virtualizer = useVirtualizer({
    horizontal: true,
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => width + gap,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 4,
  })

  useEffect(() => {
    if (current >= 0) virtualizer.scrollToIndex(current, { align: 'center' })
  }, [virtualizer, current])

  useLayoutEffect(() => {
    if (focusIndex.current === null) return
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${focusIndex.current}"]`)
    if (!button) return
    focusIndex.current = null
    button.focus({ preventScroll: true })
  })

  const select = (index: number) => {
    focusIndex.current = index
    onSelect(index)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowLeft: current - 1,
      ArrowRight: current + 1,
      Home: 0,
      End: entries.length - 1,
    }
    const next = moves[event.key]
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    if (next >= 0 && next < entries.length) select(next)
  }

  return (
    <div
      ref={scroller}
      role="toolbar"
      aria-label={label}
      onKeyDown={onKeyDown}
      className="shrink-0 overflow-x-auto overflow-y-hidden p-1"
    >
      <div className="relative" style={{ width: virtualizer.getTotalSize() - gap, height }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const entry = entries[index]
          if (!entry) return null
          const isCurrent = index === current
          return (
            <button
              key={key}
              type="button"
              data-index={index}
              tabIndex={index === Math.max(current, 0) ? 0 : -1}
              aria-label={entry.name}
              aria-current={isCurrent || undefined}
              onClick={() => onSelect(index)}
              className={classNames(
                'absolute top-0 left-0 overflow-hidden rounded-control bg-surface-sunken',
                isCurrent ? 'ring-3 ring-accent' : 'ring-1 ring-border hover:ring-border-strong',
              )}
              style={{ transform: `translateX(${start}px)`, width, height }}
            >
              <ThumbhashImage
                src={entry.picture}
                hash={null}
                alt=""
                fit={fit}
                fallback={<span className="absolute inset-0 grid place-items-center text-muted">{fallback}</span>}
              />
              <span
                aria-hidden
                className="absolute right-1 bottom-1 rounded-full bg-surface-overlay px-1.5 text-12 font-medium tabular-nums"
              >
                {entry.label}
              </span>
            </button>
          )
        })}
      </div>
    </div>
  )
}

/** A picture of the strip. */
interface StripEntry {
  key: string | number
  picture: string | null
  /** Accessible name. */
  name: string
  /** Short text shown on the picture. */
  label: string
}

export type PictureStripPanelProps = {
  label: string
  entries: readonly StripEntry[]
  /** Index of the current picture; -1 when there is none. */
  current: number
  width: number
  height: number
  /** Pixels between two pictures. */
  gap: number
  fit?: 'cover' | 'contain'
  fallback?: ReactNode
  onSelect: (index: number) => void
}
